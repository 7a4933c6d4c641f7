import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { home, root } from '../option-sections.js'
import { workspaceOf } from '../workspace.js'
import { exampleNamed, examples, readExample } from './example.js'
import { levelOf } from './level.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-examples-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const put = (name: string, text: string) => {
  const path = join(base, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

put('ex/audit/README.md', '# Audit\n\nKeeps a line of every\nevent. And more.\n')
put(
  'ex/audit/.cursor/hooks.json',
  `{ // as people write it
    "version": 1, "hooks": {
      "stop": [{ "command": ".cursor/hooks/audit.sh", "timeout": 5 }],
      "beforeShellExecution": [
        { "command": "node ./.cursor/hooks/audit.cjs '.cursor/hooks/x.json'", "matcher": ".cursor/hooks/" },
        { "type": "prompt", "prompt": "Is .cursor/hooks/ fine?" }
      ]
    } }`,
)
put('ex/audit/.cursor/holdfast.json', '{ "guards": { "audit": { "file": "a.jsonl" } } }')
put('ex/audit/.cursor/hooks/audit.sh', '#!/bin/sh\necho {}\n')
put('ex/audit/.cursor/hooks/deep/x.json', '{}')
put('ex/bare/.cursor/hooks.json', '{ "hooks": {} }')
put('ex/no-hooks/README.md', 'Not an example.')
mkdirSync(join(base, 'shop'))
mkdirSync(join(base, 'home'))

const workspace = workspaceOf(
  parse('init', ['--root', join(base, 'shop'), '--home', join(base, 'home')], { root, home }),
)
const all = examples(join(base, 'ex'))

describe('examples', () => {
  it('are the folders with hooks, each with its first sentence', () => {
    expect(all.map(({ name, summary }) => [name, summary])).toEqual([
      ['audit', 'Keeps a line of every event.'],
      ['bare', ''],
    ])
    expect(examples(join(base, 'nowhere'))).toEqual([])
  })

  it('are found by name', () => {
    expect(exampleNamed('audit', all)).toBe(all[0])
    expect(() => exampleNamed('audi', all)).toThrow('Did you mean audit?')
    expect(() => exampleNamed('audit', [])).toThrow('The examples are missing')
  })

  it('keep their paths in a project', () => {
    const { files, entries, guards } = readExample(all[0]!, levelOf('project', workspace))
    expect(guards).toEqual({ audit: { file: 'a.jsonl' } })
    expect(files.map(({ name }) => name)).toEqual(['audit.sh', 'deep/x.json'])
    expect(entries).toEqual([
      { event: 'stop', entry: { command: '.cursor/hooks/audit.sh', timeout: 5 } },
      {
        event: 'beforeShellExecution',
        entry: {
          command: "node .cursor/hooks/audit.cjs '.cursor/hooks/x.json'",
          matcher: '.cursor/hooks/',
        },
      },
      { event: 'beforeShellExecution', entry: { type: 'prompt', prompt: 'Is .cursor/hooks/ fine?' } },
    ])
  })

  it('get the paths of the user level, in commands only', () => {
    const { entries } = readExample(all[0]!, levelOf('user', workspace))
    expect(entries.map(({ entry }) => entry.command)).toEqual([
      'hooks/audit.sh',
      "node hooks/audit.cjs 'hooks/x.json'",
      undefined,
    ])
    expect(entries[1]!.entry.matcher).toBe('.cursor/hooks/')
  })
})
