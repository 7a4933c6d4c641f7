// Labels in the guide to the pages occur on a page, letter by letter.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

const GUIDES = ['docs/guide/ui.md', 'docs/guide/dashboard.md']
const folder = join(root, 'packages/web/src')
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !name.startsWith('gen'))
  .map(name => readFileSync(join(folder, name), 'utf8'))
  .join('\n')

/** As a separate text, or with a figure or a name beside it: in quotes, or between two tags. */
const stands = (label: string) => {
  const text = label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '\\s+')
  return new RegExp(`(['"\`>}]|^)\\s*${text}\\s*(['"\`<{$…]|$)`, 'm').test(sources)
}

/** Text in italics, outside of code. */
const labelsOf = (page: string) => [
  ...new Set(
    [...page.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/(?<!\w)_([^_\n]+)_(?!\w)/g)]
      .map(([, label]) => label!)
      .filter(label => label !== 'slanted letters'),
  ),
]

describe.each(GUIDES)('%s', name => {
  const labels = labelsOf(readFileSync(join(root, name), 'utf8'))

  it('names something', () => expect(labels.length).toBeGreaterThan(10))

  it.each(labels)('%s', label => expect(stands(label), 'no page of packages/web says so').toBe(true))
})
