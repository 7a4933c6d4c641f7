import { createHash } from 'node:crypto'
import { renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cleanUp, codes, layerOf, sandbox } from './testing/sandbox.js'

cleanUp()

const FOLDER = 'home/.cursor/managed/team_7/hooks'
const SCRIPT = '#!/bin/sh\necho {}\n'
const sum = (text: string) => createHash('sha256').update(text).digest('hex')

const team = (hooks: unknown, manifest?: unknown) => {
  const box = sandbox()
  box.write(`${FOLDER}/manifest.json`, manifest ?? { revision: 3, hooks })
  box.write(`${FOLDER}/guard.sh`, SCRIPT, 0o755)
  return { ...box, load: async () => layerOf(await box.discover(), 'team') }
}
const hook = (change: object = {}) => ({
  id: 1,
  hook_step: 'beforeShellExecution',
  script_name: 'guard.sh',
  operating_systems: ['Windows', 'Macintosh', 'Linux'],
  is_active: true,
  ...change,
})

describe('team hooks', () => {
  test('become hooks that start the script directly', async () => {
    const box = team([
      hook({ matcher: 'rm', timeout: 5, fail_closed: true, sha256: sum(SCRIPT) }),
      hook({ hook_step: 'stop', loop_limit: null }),
    ])
    const layer = await box.load()
    expect(layer).toMatchObject({ state: 'loaded', dropped: 0, issues: [] })
    expect(layer.source.cwd).toBe(box.path(FOLDER))
    expect(layer.hooks).toMatchObject([
      {
        id: 'team:~/.cursor/managed/team_7/hooks/manifest.json:hooks[0]',
        command: box.path(FOLDER, 'guard.sh'),
        matcher: { kind: 'plain', text: 'rm' },
        timeoutMs: 5000,
        failClosed: true,
        trusted: true,
        scripts: [{ path: box.path(FOLDER, 'guard.sh') }],
      },
      { event: 'stop', loopLimit: null, timeoutMs: 60_000 },
    ])
  })

  test('a folder with spaces is quoted', async () => {
    const box = sandbox()
    box.write(`my home/.cursor/managed/team_7/hooks/manifest.json`, { hooks: [hook()] })
    const script = box.write(`my home/.cursor/managed/team_7/hooks/guard.sh`, SCRIPT, 0o755)
    const layer = layerOf(await box.discover({ home: box.path('my home') }), 'team')
    expect(layer.hooks[0]?.command).toBe(`'${script}'`)
    expect(layer.hooks[0]?.scripts[0]?.path).toBe(script)
    expect(layer.issues).toEqual([])
  })

  test('prompts need no script', async () => {
    const layer = await team([
      hook({ type: 'prompt', prompt: 'ok?', model: 'm', script_name: undefined }),
    ]).load()
    expect(layer.hooks).toMatchObject([{ type: 'prompt', prompt: 'ok?', model: 'm', timeoutMs: 30_000 }])
  })

  test('what is switched off or for other systems is skipped in silence', async () => {
    const other = process.platform === 'darwin' ? 'Linux' : 'Macintosh'
    const layer = await team([
      hook({ is_active: false }),
      hook({ operating_systems: [other] }),
      hook({ operating_systems: [] }),
      hook({ is_active: undefined, operating_systems: undefined }),
    ]).load()
    expect(layer).toMatchObject({ dropped: 0, issues: [] })
    expect(layer.hooks.map(({ path }) => path)).toEqual(['hooks[2]', 'hooks[3]'])
  })

  test.each([
    '../guard.sh',
    '/bin/sh',
    'a/b',
    '.hidden',
    '',
    'manifest.json',
    'x'.repeat(101),
    7,
    'a b',
    'a;b',
  ])('the script name %j is refused', async script_name => {
    const layer = await team([hook({ script_name })]).load()
    expect(layer).toMatchObject({ hooks: [], dropped: 1 })
    expect(codes(layer.issues)).toEqual(['config/bad-field'])
  })

  test('other bytes than the manifest says', async () => {
    for (const sha256 of [sum('other'), 'x', 7]) {
      const layer = await team([hook({ sha256 })]).load()
      expect(layer).toMatchObject({ hooks: [], dropped: 1 })
      expect(layer.issues).toMatchObject([{ code: 'config/script-changed', severity: 'error' }])
    }
    const absent = await team([hook({ script_name: 'none.sh', sha256: sum('') })]).load()
    expect(codes(absent.issues)).toEqual(['config/script-changed'])
  })

  test.each([
    [3, 'config/bad-entry'],
    [{}, 'config/bad-entry'],
    [hook({ hook_step: 5 }), 'config/bad-entry'],
    [hook({ script_name: undefined }), 'config/bad-entry'],
    [hook({ timeout: 'x' }), 'config/bad-field'],
    [hook({ is_active: 'no' }), 'config/bad-field'],
    [hook({ operating_systems: 'Linux' }), 'config/bad-field'],
  ])('%j is left out and said', async (entry, code) => {
    const layer = await team([entry]).load()
    expect(layer).toMatchObject({ hooks: [], dropped: 1 })
    expect(codes(layer.issues)).toEqual([code])
  })

  test.each(['{', '[]', '{}', { hooks: {} }, '\xff'])('the manifest %j is broken', async manifest => {
    const layer = await team([], manifest).load()
    expect(layer.state).toBe('failed')
    expect(codes(layer.issues)).toEqual(['config/manifest'])
  })

  test('an event that is not known is said, and nothing more', async () => {
    const layer = await team([hook({ hook_step: 'beforeLunch' })]).load()
    expect(layer).toMatchObject({ hooks: [], dropped: 0 })
    expect(layer.issues).toMatchObject([{ code: 'config/unknown-event', severity: 'warning' }])
  })

  test('a managed folder that cannot be listed is said, and its teams are not forgotten', async () => {
    const box = team([hook()])
    const first = await box.discover()
    renameSync(box.path('home/.cursor/managed'), box.path('elsewhere'))
    symlinkSync('managed', box.path('home/.cursor/managed'))
    const second = await box.discover({ required: ['team'] }, first)
    expect(second.byEvent.get('beforeShellExecution')).toHaveLength(1)
    expect(second.layers.filter(({ source }) => source.kind === 'team').map(({ state }) => state)).toEqual([
      'failed',
      'kept',
    ])
    expect(codes(second.missing)).toEqual(['config/required-missing'])
    unlinkSync(box.path('home/.cursor/managed'))
    const third = await box.discover({}, second)
    expect(third.byEvent.get('beforeShellExecution')).toEqual([])
    expect(third.issues).toEqual([])
  })

  test('when the manifest breaks, only the bytes that were checked go on running', async () => {
    const box = team([hook({ sha256: sum(SCRIPT) })])
    const first = await box.discover()
    box.write(`${FOLDER}/manifest.json`, '{')
    const second = await box.discover({}, first)
    expect(layerOf(second, 'team')).toMatchObject({ state: 'kept', dropped: 0 })
    box.write(`${FOLDER}/guard.sh`, 'other', 0o755)
    const third = await box.discover({ required: ['team'] }, second)
    expect(layerOf(third, 'team')).toMatchObject({ state: 'kept', hooks: [], dropped: 1 })
    expect(codes(layerOf(third, 'team').issues)).toContain('config/script-changed')
    expect(third.missing).toHaveLength(1)
  })

  test('the folder may be a link to a revision', async () => {
    const box = team([hook()])
    renameSync(box.path(FOLDER), box.path('home/.cursor/managed/team_7/revision-3'))
    symlinkSync('revision-3', box.path(FOLDER))
    expect((await box.load()).hooks).toHaveLength(1)
  })

  test('all teams that are there, in order; or the one that is named', async () => {
    const box = team([hook()])
    box.write('home/.cursor/managed/team_12/hooks/manifest.json', { hooks: [] })
    box.write('home/.cursor/managed/other/hooks/manifest.json', { hooks: [] })
    const teams = async (teamId?: string) =>
      (await box.discover(teamId === undefined ? {} : { teamId })).layers
        .filter(({ source }) => source.kind === 'team')
        .map(({ source, state }) => [/team_(\w+)/.exec(source.file)?.[1], state])
    expect(await teams()).toEqual([
      ['12', 'loaded'],
      ['7', 'loaded'],
    ])
    expect(await teams('7')).toEqual([['7', 'loaded']])
    expect(await teams('99')).toEqual([['99', 'absent']])
  })
})
