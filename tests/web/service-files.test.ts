// The files of hooks, edited in the panel: the file on disk is the one that the page sent, or the previous one.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { enter, type Inside } from './calls.js'
import { type PanelOptions, startPanel, type TestPanel } from './panel.js'

let panel: TestPanel
let inside: Inside

async function open(options: PanelOptions = {}) {
  panel = await startPanel(options)
  inside = await enter(panel.link)
}
afterEach(() => panel.stop())

const hooks = async () => (await inside.call('listSources')).sources.flatMap(source => source.hooks)
const project = async () => (await inside.call('listSources')).sources.find(one => one.kind === 'project')!
interface Issue {
  readonly code: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint: string
  readonly severity: string
}

describe('files', () => {
  it('are saved as the page sends them, byte by byte', async () => {
    await open()
    const { id } = await project()
    const file = join(panel.root, '.cursor/hooks.json')
    chmodSync(file, 0o600)
    const texts = [
      '\ufeff{\r\n\t"version": 1, // why\r\n\t"hooks": {},\r\n}',
      '{"version":1,"hooks":{}}',
      '{}\n\n',
      '',
    ]
    let { hash } = await inside.call('getFile', { sourceId: id })
    for (const text of texts) {
      const saved = await inside.call('saveFile', { sourceId: id, text, baseHash: hash })
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const read = await inside.call('getFile', { sourceId: id })
      expect([read.text, read.hash]).toEqual([text, saved.hash])
      hash = saved.hash
    }
  })

  it('are not saved over what somebody else wrote meanwhile', async () => {
    await open()
    const { id } = await project()
    const { hash, text } = await inside.call('getFile', { sourceId: id })
    panel.write('.cursor/hooks.json', `${text}\n`)
    await expect(inside.call('saveFile', { sourceId: id, text: '{}', baseHash: hash })).rejects.toMatchObject(
      {
        code: 'aborted',
        message: expect.stringContaining('was changed since you started to edit it'),
      },
    )
    await expect(inside.call('saveFile', { sourceId: id, text: '{}' })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(readFileSync(join(panel.root, '.cursor/hooks.json'), 'utf8')).toBe(`${text}\n`)
  })

  it('stay links where they are links, and are made where there are none', async () => {
    await open({ files: { 'README.md': '' } })
    const { sources } = await inside.call('listSources')
    const [own, user] = ['project', 'user'].map(kind => sources.find(one => one.kind === kind)!)
    expect(own).toMatchObject({ state: 'absent', canEdit: true })
    const text = '{ "version": 1, "hooks": { "stop": [ { "command": "true" } ] } }\n'
    await inside.call('saveFile', { sourceId: own!.id, text })
    expect(readFileSync(join(panel.root, '.cursor/hooks.json'), 'utf8')).toBe(text)
    expect((await hooks()).map(({ name }) => name)).toEqual(['true'])
    mkdirSync(join(panel.home, 'dotfiles'))
    mkdirSync(join(panel.home, '.cursor'))
    writeFileSync(join(panel.home, 'dotfiles/hooks.json'), '{}')
    symlinkSync('../dotfiles/hooks.json', join(panel.home, '.cursor/hooks.json'))
    const { hash } = await inside.call('getFile', { sourceId: user!.id })
    await inside.call('saveFile', { sourceId: user!.id, text, baseHash: hash })
    expect(lstatSync(join(panel.home, '.cursor/hooks.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(panel.home, 'dotfiles/hooks.json'), 'utf8')).toBe(text)
  })

  it('of a project are not shown when a link leads out of it, and are only named by their source', async () => {
    await open()
    const { id } = await project()
    writeFileSync(join(panel.home, 'secret'), 'hunter2')
    rmSync(join(panel.root, '.cursor/hooks.json'))
    symlinkSync(join(panel.home, 'secret'), join(panel.root, '.cursor/hooks.json'))
    expect((await project()).canEdit).toBe(false)
    for (const call of [
      () => inside.call('getFile', { sourceId: id }),
      () => inside.call('saveFile', { sourceId: id, text: 'x', baseHash: '' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'permission_denied' })
    }
    for (const sourceId of ['', '/etc/passwd', join(panel.root, '.cursor/hooks.json')]) {
      await expect(inside.call('getFile', { sourceId })).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(readFileSync(join(panel.home, 'secret'), 'utf8')).toBe('hunter2')
  })

  it.each([
    ['a folder', ['.cursor'], 'elsewhere'],
    ['a file that does not exist yet', ['.cursor', 'hooks.json'], 'elsewhere/hooks.json'],
    ['a file in a folder that does not exist yet', ['.cursor', 'hooks.json'], 'new/hooks.json'],
  ])('of a project are not created through a link to %s outside of it', async (_, link, target) => {
    await open({ files: { 'README.md': '' } })
    const outside = join(panel.home, target)
    mkdirSync(join(panel.home, 'elsewhere'))
    mkdirSync(dirname(join(panel.root, ...link)), { recursive: true })
    symlinkSync(outside, join(panel.root, ...link))
    const { id, state, canEdit } = await project()
    expect([state, canEdit]).toEqual(['absent', false])
    for (const call of [
      () => inside.call('getFile', { sourceId: id }),
      () => inside.call('checkFile', { sourceId: id, text: '{}' }),
      () => inside.call('saveFile', { sourceId: id, text: '{}', baseHash: '' }),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'permission_denied',
        message: expect.stringContaining('leads out of the project'),
      })
    }
    expect(readdirSync(join(panel.home, 'elsewhere'))).toEqual([])
    expect(existsSync(join(panel.home, 'new'))).toBe(false)
  })

  it('that are not text, or too large, say so', async () => {
    await open()
    const { id } = await project()
    writeFileSync(join(panel.root, '.cursor/hooks.json'), Buffer.from([0xff, 0xfe, 0x7b]))
    await expect(inside.call('getFile', { sourceId: id })).rejects.toMatchObject({
      message: expect.stringContaining('is not UTF-8'),
    })
    await expect(
      inside.call('saveFile', { sourceId: id, text: 'x'.repeat(5 * 1024 * 1024) }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('are checked before they are saved, with the eyes of holdfast check', async () => {
    await open()
    const { id } = await project()
    const text = `{
  "version": 1,
  "hooks": {
    "beforeShellExecution": [ { "command": "./.cursor/hooks/guard.sh", "timeout": "x" }, { "command": "./gone.sh" } ],
    "beforeShelExecution": []
  }
}`
    const { problems } = await inside.call('checkFile', { sourceId: id, text })
    panel.write('.cursor/hooks.json', text)
    const { issues } = JSON.parse((await panel.holdfast('check', '--json')).stdout)
    const own = (issues as Issue[]).filter(({ code }) => code !== 'trust/untrusted')
    const short = ({ code, line, column, message, hint, severity }: Issue) => [
      code,
      line,
      column,
      message,
      hint,
      severity,
    ]
    expect(problems.map(short)).toEqual(own.map(short))
    expect(problems[0]!.file).toBe(join(panel.root, '.cursor/hooks.json'))
    expect((await inside.call('checkFile', { sourceId: id, text: '{' })).problems[0]!.code).toBe(
      'config/syntax',
    )
  })
})
