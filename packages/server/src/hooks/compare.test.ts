import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences, scriptDiff } from './compare.js'
import type { Content } from './content.js'

const content = (more: object = {}): Content =>
  ({
    hook_step: 'stop',
    type: 'command',
    mode: 'enforce',
    operating_systems: [],
    is_active: true,
    ...more,
  }) as Content
const diff = (before: string, after: string) =>
  scriptDiff({ content: content(), script: before }, { content: content(), script: after })

describe('fields', () => {
  it('names what differs, and only that', () => {
    expect(
      differences(content({ matcher: 'a', timeout: 3 }), content({ matcher: 'b', mode: 'observe' })),
    ).toEqual([
      { field: 'matcher', from: 'a', to: 'b' },
      { field: 'mode', from: 'enforce', to: 'observe' },
      { field: 'timeout', from: '3', to: '' },
    ])
  })
})

describe('scripts', () => {
  it('shows lines that went and came, with three around them', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const after = [...lines]
    after[10] = 'other'
    expect(diff(lines.join('\n'), after.join('\n'))).toBe(
      '@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+other\n line 11\n line 12\n line 13',
    )
    expect(diff('a\n', 'a\n')).toBe('')
    expect(diff('', 'a\n')).toBe('@@ -1,0 +1,1 @@\n+a')
  })

  it('shows scripts that have nothing in common as replaced, in bounded time', () => {
    const script = (mark: string) => Array.from({ length: 20_000 }, (_, line) => `${mark} ${line}\n`).join('')
    const lines = diff(script('a'), script('b')).split('\n')
    expect(lines).toHaveLength(40_001)
    expect([lines[0], lines[1], lines.at(-1)]).toEqual(['@@ -1,20000 +1,20000 @@', '-a 0', '+b 19999'])
  })

  it('is what patch needs to make one of the other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-diff-'))
    const script = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', 'if true', ''), { minLength: 1, maxLength: 30 })
      .map(lines => `#!/bin/sh\n${lines.join('\n')}\nend\n`)
    try {
      fc.assert(
        fc.property(script, script, (before, after) => {
          const found = diff(before, after)
          if (found === '') {
            expect(after).toBe(before)
            return
          }
          const file = join(folder, 'f')
          writeFileSync(file, before)
          execFileSync('git', ['apply', '--unidiff-zero', '-'], {
            cwd: folder,
            input: `--- a/f\n+++ b/f\n${found}\n`,
            env: { ...process.env, GIT_CEILING_DIRECTORIES: folder, GIT_DIR: join(folder, 'none') },
          })
          expect(readFileSync(file, 'utf8')).toBe(after)
        }),
        { numRuns: 40 },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
