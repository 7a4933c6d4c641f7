import { mkdirSync, symlinkSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../protocol/events.js'
import { fileTrustStore, memoryTrustStore, watchedPaths } from './discover.js'
import { cleanUp, codes, hooksOf, layerOf, type Sandbox, sandbox } from './testing/sandbox.js'

cleanUp()

const stop = (...commands: string[]) => ({ hooks: { stop: commands.map(command => ({ command })) } })

describe('order', () => {
  test('enterprise, team, each root, user, Claude, plugins; then as in the file', async () => {
    const box = sandbox()
    box.write('machine/hooks.json', stop('e1', 'e2'))
    box.write('home/.cursor/managed/team_1/hooks/manifest.json', {
      hooks: [{ hook_step: 'stop', script_name: 't.sh' }],
    })
    box.write('home/.cursor/managed/team_1/hooks/t.sh', '', 0o755)
    box.write('one/.cursor/hooks.json', stop('p1'))
    box.write('two/.cursor/hooks.json', stop('p2', 'p3'))
    box.write('home/.cursor/hooks.json', stop('u'))
    box.write('two/.claude/settings.json', {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'c' }] }] },
    })
    box.write('plug/hooks/hooks.json', stop('g'))
    const catalog = await box.discover({
      roots: [box.path('two'), box.path('one')],
      claude: true,
      trustUnsignedTeams: true,
      plugins: [box.path('plug')],
    })
    const hooks = catalog.byEvent.get('stop') ?? []
    expect(hooks.map(hook => hook.name.split('/').at(-1))).toEqual([
      'e1',
      'e2',
      't.sh',
      'p2',
      'p3',
      'p1',
      'u',
      'c',
      'g',
    ])
    expect(hooks.map(hook => hook.rank)).toEqual([0, 0, 1, 2, 2, 2, 3, 5, 7])
    expect(new Set(hooks.map(hook => hook.id)).size).toBe(9)
    expect(hooks.map(hook => relative(box.path(), hook.root))).toEqual([
      ...['two', 'two', 'two'],
      ...['two', 'two', 'one'],
      ...['two', 'two', 'two'],
    ])
    expect(catalog.issues).toEqual([])
  })

  test('every event has its list', async () => {
    const catalog = await sandbox().discover()
    expect([...catalog.byEvent.keys()]).toEqual(EVENT_NAMES)
  })

  test('ids say where', async () => {
    const box = sandbox()
    box.hooks(stop('a'))
    box.write('home/.cursor/hooks.json', stop('a'))
    box.write('machine/hooks.json', stop('a'))
    expect(hooksOf(await box.discover()).map(hook => hook.id)).toEqual([
      `enterprise:${box.path('machine/hooks.json')}:hooks.stop[0]`,
      'project:.cursor/hooks.json:hooks.stop[0]',
      'user:~/.cursor/hooks.json:hooks.stop[0]',
    ])
  })
})

describe('roots', () => {
  test('given twice, under whatever name, count once', async () => {
    const box = sandbox()
    box.hooks(stop('a'))
    symlinkSync('project', box.path('link'))
    const catalog = await box.discover({
      roots: [box.path('link'), box.root, `${box.root}/`, box.path('project/../project')],
    })
    expect(hooksOf(catalog).map(hook => hook.root)).toEqual([box.path('link')])
  })

  test('a root that does not exist has no hooks', async () => {
    const box = sandbox()
    expect((await box.discover({ roots: ['/no/such/folder', 'bad\0name'] })).byEvent.get('stop')).toEqual([])
  })

  test('a file in place of a folder has no hooks and no teams', async () => {
    const box = sandbox()
    box.write('home/.cursor', '')
    box.write('project/.cursor', '')
    const catalog = await box.discover({ claude: true })
    expect([hooksOf(catalog), catalog.issues]).toEqual([[], []])
  })

  test('none at all', async () => {
    const box = sandbox()
    box.write('home/.cursor/hooks.json', stop('a'))
    const [hook] = hooksOf(await box.discover({ roots: [] }))
    expect(hook).toMatchObject({ cwd: box.path('home/.cursor'), root: box.path('home/.cursor') })
  })

  test('the home folder as a root runs its hooks once', async () => {
    const box = sandbox()
    box.write('home/.cursor/hooks.json', stop('a'))
    expect(hooksOf(await box.discover({ roots: [box.home] })).map(hook => hook.source)).toEqual(['user'])
  })
})

describe('frozen', () => {
  test('all the way down', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: './a.sh', matcher: 'a+' }, 3] } })
    const catalog = await box.discover()
    const seen = new Set<unknown>()
    const visit = (value: unknown) => {
      if (typeof value !== 'object' || value === null || value instanceof RegExp || seen.has(value)) return
      seen.add(value)
      expect(Object.isFrozen(value)).toBe(true)
      for (const item of value instanceof Map ? value.values() : Object.values(value)) visit(item)
    }
    visit(catalog)
    expect(() => (catalog.byEvent as Map<string, unknown>).set('stop', [])).toThrow(TypeError)
    expect(() => (catalog.byEvent as Map<string, unknown>).delete('stop')).toThrow(TypeError)
    expect(() => (catalog.byEvent as Map<string, unknown>).clear()).toThrow(TypeError)
    expect(catalog.byEvent.get('stop')).toHaveLength(1)
  })
})

describe('required sources', () => {
  test('that are complete', async () => {
    const box = sandbox()
    box.write('machine/hooks.json', stop('true'))
    expect((await box.discover({ required: ['enterprise'] })).missing).toEqual([])
  })

  test('that are absent', async () => {
    const box = sandbox()
    const catalog = await box.discover({ required: ['enterprise', 'team', 'project'] })
    expect(catalog.missing.map(issue => [issue.code, issue.source, issue.file, issue.severity])).toEqual([
      ['config/required-missing', 'enterprise', box.path('machine/hooks.json'), 'error'],
      ['config/required-missing', 'team', box.path('home/.cursor/managed'), 'error'],
      ['config/required-missing', 'project', box.path('project/.cursor/hooks.json'), 'error'],
    ])
    expect(catalog.missing[0]?.message).toContain('does not exist')
    expect(codes(catalog.issues)).toEqual(Array(3).fill('config/required-missing'))
  })

  const MANAGED = 'home/.cursor/managed'

  test.each<[string, 'enterprise' | 'team', (box: Sandbox) => void]>([
    ['an empty file', 'enterprise', box => box.write('machine/hooks.json', '')],
    ['an empty object', 'enterprise', box => box.write('machine/hooks.json', {})],
    ['a folder', 'enterprise', box => mkdirSync(box.path('machine/hooks.json'))],
    ['a dangling link', 'enterprise', box => symlinkSync('nowhere', box.path('machine/hooks.json'))],
    ['a link to itself', 'enterprise', box => symlinkSync('hooks.json', box.path('machine/hooks.json'))],
    ['too many hooks', 'enterprise', box => box.write('machine/hooks.json', stop(...Array(2001).fill('x')))],
    ['a file instead of the folder', 'team', box => box.write(MANAGED, '')],
    ['an empty folder', 'team', box => mkdirSync(box.path(MANAGED, 'team_1'), { recursive: true })],
    ['no manifest', 'team', box => mkdirSync(box.path(MANAGED, 'team_1/hooks'), { recursive: true })],
    ['no signature', 'team', box => box.write(`${MANAGED}/team_1/hooks/manifest.json`, { hooks: [] })],
    ['an unknown enrolment', 'team', box => box.write(`${MANAGED}/team_1/enrolment.json`, '{}')],
    [
      'a dangling link to the release',
      'team',
      box => {
        mkdirSync(box.path(MANAGED, 'team_1'), { recursive: true })
        symlinkSync('store/1', box.path(MANAGED, 'team_1/hooks'))
      },
    ],
  ])('%s of %s', async (_, kind, prepare) => {
    const box = sandbox()
    prepare(box)
    const { missing } = await box.discover({ required: [kind] })
    expect(missing.map(({ source }) => source)).toEqual([kind])
  })

  test('that are broken, with the reason', async () => {
    const box = sandbox()
    const file = box.write('machine/hooks.json', '{')
    const { missing } = await box.discover({ required: ['enterprise', 'enterprise'] })
    expect(missing).toMatchObject([{ file, message: expect.stringContaining('brace') }])
  })

  test('that lost an entry', async () => {
    const box = sandbox()
    box.write('machine/hooks.json', { hooks: { stop: [{ command: 'true' }, {}] } })
    expect((await box.discover({ required: ['enterprise'] })).missing[0]?.message).toContain('1 of its hooks')
  })

  test('of which one root failed', async () => {
    const box = sandbox()
    box.hooks(stop('true'))
    const other = box.write('other/.cursor/hooks.json', '{')
    const { missing } = await box.discover({ required: ['project'], roots: [box.root, box.path('other')] })
    expect(missing.map(issue => issue.file)).toEqual([other])
  })

  test('that broke while running keep their last good hooks', async () => {
    const box = sandbox()
    box.write('machine/hooks.json', stop('true'))
    const first = await box.discover({ required: ['enterprise'] })
    box.write('machine/hooks.json', '{')
    const second = await box.discover({ required: ['enterprise'] }, first)
    expect(second.missing).toEqual([])
    expect(layerOf(second, 'enterprise').state).toBe('kept')
  })

  test('that broke while running and had lost an entry before still deny', async () => {
    const box = sandbox()
    const required = ['enterprise'] as const
    box.write('machine/hooks.json', { hooks: { stop: [{ command: 'true' }, {}] } })
    const first = await box.discover({ required })
    box.write('machine/hooks.json', '{')
    const second = await box.discover({ required }, first)
    const third = await box.discover({ required }, second)
    for (const catalog of [second, third]) {
      expect(layerOf(catalog, 'enterprise')).toMatchObject({ state: 'kept', dropped: 1 })
      expect(codes(catalog.missing)).toEqual(['config/required-missing'])
    }
  })
})

describe('with requireIntact', () => {
  test.each<[string, string, unknown, RegExp]>([
    ['that is broken', 'home/.cursor/hooks.json', '{\n  "hooks": {{\n', /line 2, column 13/],
    ['that is empty', 'home/.cursor/hooks.json', '', /could not be loaded/],
    ['without hooks', 'machine/hooks.json', {}, /could not be loaded/],
    [
      'with a bad entry',
      'machine/hooks.json',
      { hooks: { stop: [{}] } },
      /1 of its hooks .*line \d+, column/,
    ],
  ])('a file %s is missing', async (_, file, content, message) => {
    const box = sandbox()
    box.write(file, content as object)
    expect((await box.discover({})).missing).toEqual([])
    const { missing } = await box.discover({ requireIntact: true })
    expect(missing).toMatchObject([{ code: 'config/required-missing', file: box.path(file) }])
    expect(missing[0]!.message).toMatch(message)
    // Once, if it is required anyway.
    expect(
      (await box.discover({ requireIntact: true, required: ['user', 'enterprise'] })).missing,
    ).toHaveLength(2)
  })

  test('an absent file is no problem, nor an intact one', async () => {
    const box = sandbox()
    box.write('home/.cursor/hooks.json', stop('true'))
    expect((await box.discover({ requireIntact: true })).missing).toEqual([])
  })

  test('a broken file of a project counts if hooks of that project are trusted', async () => {
    const box = sandbox()
    const trust = memoryTrustStore()
    box.write('project/.cursor/hooks.json', '{')
    const discover = () => box.discover({ requireIntact: true, trust, trustAll: false })
    expect((await discover()).missing).toEqual([])
    await trust.add(box.root, ['f'.repeat(64)])
    expect((await discover()).missing).toMatchObject([{ source: 'project' }])
  })

  test('a store that cannot tell whether it knows a project denies', async () => {
    const box = sandbox()
    const { knows: _, ...trust } = memoryTrustStore()
    box.write('project/.cursor/hooks.json', '{')
    expect((await box.discover({ requireIntact: true, trust, trustAll: false })).missing).toHaveLength(1)
  })
})

describe('watched paths', () => {
  test('all places, also empty ones, and everything that fingerprints cover', async () => {
    const box = sandbox()
    box.hooks(stop('./a.sh'))
    box.write('home/.cursor/hooks.json', stop('./u.sh'))
    box.write('home/.cursor/managed/team_1/hooks/manifest.json', {
      hooks: [{ hook_step: 'stop', script_name: 't.sh' }],
    })
    mkdirSync(box.path('plug'))
    const options = box.options({ claude: true, plugins: [box.path('plug')] })
    const catalog = await box.discover({
      claude: true,
      trustUnsignedTeams: true,
      plugins: [box.path('plug')],
    })
    expect(
      watchedPaths(options, catalog)
        .map(path => relative(box.path(), path))
        .sort(),
    ).toEqual([
      'home/.claude/settings.json',
      'home/.cursor/hooks.json',
      'home/.cursor/managed',
      'home/.cursor/managed/team_1/hooks',
      'home/.cursor/managed/team_1/hooks/manifest.json',
      'home/.cursor/managed/team_1/hooks/t.sh',
      'machine/hooks.json',
      'plug/.cursor-plugin/plugin.json',
      'plug/hooks/hooks.json',
      'project/.claude/settings.json',
      'project/.claude/settings.local.json',
      'project/.cursor/hooks.json',
    ])
  })

  test('the file that the manifest of a plugin names', async () => {
    const box = sandbox()
    box.write('plug/.cursor-plugin/plugin.json', { hooks: './config/own.json' })
    const file = box.write('plug/config/own.json', stop('true'))
    const change = { plugins: [box.path('plug')] }
    expect(watchedPaths(box.options(change), await box.discover(change))).toContain(file)
  })

  test('the file of the trust store, and no folder of teams where one team is named', async () => {
    const box = sandbox()
    const change = { trust: fileTrustStore(box.path('trusted.json')), teamId: '1' }
    expect(
      watchedPaths(box.options(change), await box.discover(change))
        .map(path => relative(box.path(), path))
        .sort(),
    ).toEqual([
      'home/.cursor/hooks.json',
      'home/.cursor/managed/team_1/hooks/manifest.json',
      'machine/hooks.json',
      'project/.cursor/hooks.json',
      'trusted.json',
    ])
  })
})

describe('size', () => {
  test('a thousand entries, and the scripts that they share', async () => {
    const box = sandbox()
    const entry = (i: number) => ({
      command: `.cursor/hooks/x${i % 20}.sh --n ${i}`,
      timeout: 5,
      matcher: 'Shell|Write',
    })
    box.hooks({ hooks: { stop: Array.from({ length: 1000 }, (_, i) => entry(i)) } })
    for (let i = 0; i < 20; i++) box.write(`project/.cursor/hooks/x${i}.sh`, '#!/bin/sh\n', 0o755)
    const hooks = hooksOf(await box.discover())
    expect(hooks).toHaveLength(1000)
    expect(new Set(hooks.map(({ id }) => id)).size).toBe(1000)
  })
})
