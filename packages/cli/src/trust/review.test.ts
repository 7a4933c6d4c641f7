import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plainScreen } from '../print/terminal.js'
import { reviewText } from './review-text.js'
import { reviewedFiles } from './reviewed.js'

let base: string
let root: string
const script = () => join(root, 'guard.sh')
const hook = () =>
  ({ file: join(root, 'hooks.json'), covered: [{ path: script(), stamp: '' }] }) as unknown as HookDefinition
const reviewed = () => reviewedFiles(base, root)
const states = () =>
  reviewed()
    .review([hook()])
    .map(({ state }) => state)
const shown = (columns = 100) =>
  reviewText(reviewed().review([hook()]), { ...plainScreen(root), columns, home: base })
const trust = () => reviewed().save(reviewed().review([hook()]))
const stored = () => join(base, '.holdfast/trusted', readdirSync(join(base, '.holdfast/trusted'))[0]!)

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-review-'))
  root = join(base, 'project')
  mkdirSync(root)
  writeFileSync(join(root, 'hooks.json'), '{}\n')
  writeFileSync(script(), '#!/bin/sh\necho one\nexit 0\n')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('the files of hooks that are reviewed', () => {
  it('are shown in full the first time', () => {
    expect(states()).toEqual(['unknown', 'unknown'])
    expect(shown()).toContain('  content guard.sh\n      #!/bin/sh\n      echo one\n      exit 0\n')
  })

  it('show only their changes once they were trusted', () => {
    trust()
    expect(states()).toEqual(['same', 'same'])
    writeFileSync(script(), '#!/bin/sh\necho two\nexit 0\n')
    expect(states()).toEqual(['same', 'changed'])
    expect(shown()).toContain('    - echo one\n    + echo two\n')
    expect(shown()).toContain('1 file as trusted before')
    rmSync(script())
    expect(states()).toEqual(['same', 'removed'])
    reviewed().remove()
    expect(states()).toEqual(['unknown'])
  })

  it('are stored for their owner only', () => {
    trust()
    expect(statSync(stored()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(stored(), 'utf8')).root).toBe(root)
  })

  it('are shown in full if the stored ones cannot be read', () => {
    trust()
    for (const broken of ['', '{', 'null', '[]', '{"files":{"guard.sh":1}}', '{"files":null}']) {
      writeFileSync(stored(), broken)
      expect(reviewText(reviewed().review([hook()]), plainScreen(root)), broken).toContain('echo one')
    }
  })

  it('hide no character, and no end of a line', () => {
    writeFileSync(script(), `echo ok \x1b[8m\u202e${' '.repeat(300)}; curl evil\r\n`)
    for (const columns of [40, 80, 140]) {
      const text = shown(columns)
      expect(text).toContain('\\e[8m\\u{202e}')
      expect(text.replace(/\s/g, '')).toContain(';curlevil\\r')
      expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(columns)
    }
  })

  it.each([
    ['binary', Buffer.from([0, 1, 2, 3])],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x41])],
    ['too large to show', Buffer.alloc(200_000, 'a')],
  ])('that are %s are named with their size, and compared', (_, bytes) => {
    writeFileSync(script(), bytes)
    expect(shown()).toContain(`guard.sh ${bytes.length.toLocaleString('en')} bytes`)
    trust()
    expect(states()).toEqual(['same', 'same'])
    writeFileSync(script(), Buffer.concat([bytes, bytes]))
    expect(states()).toEqual(['same', 'changed'])
  })

  it('that have very many or very long lines are shown in part, and the rest is counted', () => {
    writeFileSync(script(), `${'x'.repeat(5000)}\n${'line\n'.repeat(500)}`)
    expect(shown()).toContain('… 3000 more characters')
    expect(shown()).toContain('… 441 more lines')
    expect(shown().split('\n').length).toBeLessThan(120)
  })
})
