// Which files the panel reads and writes, by their source.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SourceKind } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { WORKSPACE } from '../option-sections.js'
import { workspaceOf } from '../workspace.js'
import { checkFile, getFile, saveFile } from './files.js'
import { canEdit, sourceId } from './hooks/sources.js'
import { openPanel, type Panel } from './panel.js'

let folder: string
let panel: Panel
const NO_DAEMON = { list: async () => 'absent' as const, answer: async () => false, unattended: undefined }
const HOOKS = '{ "version": 1, "hooks": {} }'

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-files-')))
  const put = (path: string, text = HOOKS) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  put('root/.cursor/hooks.json')
  put('home/.cursor/hooks.json')
  put('enterprise/hooks.json')
  put('plugin/.cursor-plugin/plugin.json', '{ "name": "linter" }')
  put('plugin/hooks/hooks.json')
  for (const name of ['root/.claude/settings.json', 'root/.claude/settings.local.json'])
    put(name, '{ "hooks": {}, "apiKey": "hunter2" }')
  put('home/.claude/settings.json', '{ "hooks": {}, "apiKey": "hunter2" }')
  const given = ['--root', 'root', '--home', 'home', '--enterprise', 'enterprise', '--plugin', 'plugin']
  const args = given.map(word => (word.startsWith('--') ? word : join(folder, word)))
  panel = await openPanel(workspaceOf(parse('ui', [...args, '--claude'], WORKSPACE.options)), NO_DAEMON)
})
afterEach(() => {
  panel.close()
  rmSync(folder, { recursive: true, force: true })
})

async function sourceOf(kind: SourceKind) {
  const source = (await panel.look()).layers.map(layer => layer.source).find(one => one.kind === kind)
  expect(source, kind).toBeDefined()
  return source!
}

describe('a hooks.json', () => {
  it.each(['project', 'user'] as const)('of the source %s is read and written', async kind => {
    const source = await sourceOf(kind)
    const { text, hash } = await getFile(panel, sourceId(source))
    expect(text).toBe(HOOKS)
    expect(canEdit(source)).toBe(true)
    await saveFile(panel, { sourceId: sourceId(source), text: `${HOOKS}\n`, baseHash: hash })
    expect(readFileSync(source.file, 'utf8')).toBe(`${HOOKS}\n`)
  })

  it('of administrators is read and not written', async () => {
    const source = await sourceOf('enterprise')
    const { text, hash } = await getFile(panel, sourceId(source))
    expect(text).toBe(HOOKS)
    expect(canEdit(source)).toBe(false)
    await expect(saveFile(panel, { sourceId: sourceId(source), text: '{}', baseHash: hash })).rejects.toThrow(
      'the administrators of this machine',
    )
    expect(readFileSync(source.file, 'utf8')).toBe(HOOKS)
  })
})

it.each(['claude-user', 'claude-project', 'claude-local', 'plugin'] as const)(
  'neither reads nor writes the file of the source %s',
  async kind => {
    const source = await sourceOf(kind)
    const id = sourceId(source)
    const before = readFileSync(source.file, 'utf8')
    for (const call of [
      () => getFile(panel, id),
      () => checkFile(panel, id, '{}'),
      () => saveFile(panel, { sourceId: id, text: '{}', baseHash: '' }),
    ])
      await expect(call()).rejects.toThrow('This file is not a hooks.json')
    expect(canEdit(source)).toBe(false)
    expect(readFileSync(source.file, 'utf8')).toBe(before)
  },
)
