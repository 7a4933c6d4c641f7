// Every sentence of the page about threats has a test, and the tests that docs/threats.ts names exist.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLAIMS } from './threats.js'

const root = join(import.meta.dirname, '../..')

/** Paragraphs, points and rows of a page, without Markdown; each with the number of its sentences or cells. */
function unitsOf(markdown: string): { text: string; sentences: number }[] {
  const plain = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]|(?<!\w)_|_(?!\w)/g, '')
  const units: { text: string; sentences: number }[] = []
  for (const block of plain.split(/\n\n+/)) {
    if (/^#/.test(block)) continue
    if (block.startsWith('|')) {
      const rows = block.split('\n').slice(2)
      for (const row of rows) {
        const cells = row.split('|').slice(1, -1)
        units.push({ text: cells[0]!.trim(), sentences: cells.length })
      }
      continue
    }
    for (const point of block.split(/\n(?=- )/)) {
      const text = point.replace(/^- /, '').replace(/\s+/g, ' ').trim()
      units.push({ text, sentences: text.split(/(?<=[.?!])\s+(?=[A-Z-])/).length })
    }
  }
  return units
}

describe('the page about threats', () => {
  const units = unitsOf(readFileSync(join(root, 'docs/guide/team-threats.md'), 'utf8'))

  it('has no sentence without a test', () => {
    expect(CLAIMS.map(({ starts, sentences }) => ({ starts, sentences }))).toEqual(
      units.map(({ text, sentences }, index) => {
        const starts = CLAIMS[index]?.starts ?? ''
        return { starts: text.startsWith(starts) && starts !== '' ? starts : text.slice(0, 60), sentences }
      }),
    )
  })

  it.each(CLAIMS.map(claim => [claim.starts, claim] as const))('%s: its tests exist', (_, claim) => {
    expect(claim.tests.length > 0).toBe(claim.note === undefined)
    for (const reference of claim.tests) {
      const [path, title] = reference.split(/: (.*)/s) as [string, string]
      expect(title.length, reference).toBeGreaterThan(5)
      const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''
      expect(text.includes(title), reference).toBe(true)
    }
  })
})
