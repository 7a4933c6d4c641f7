import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openReport } from '../config/report.js'
import { cleanUp, codes, layerOf, sandbox } from '../discover/testing/sandbox.js'
import { loadTeam } from '../team/load.js'

cleanUp()

const FOLDER = 'home/.cursor/managed/team_7/hooks'
const SCRIPT = '#!/bin/sh\necho {}\n'
const sum = (text: string) => createHash('sha256').update(text).digest('hex')

const team = (hooks: unknown, manifest?: unknown) => {
  const box = sandbox()
  box.write(`${FOLDER}/manifest.json`, manifest ?? { revision: 3, hooks })
  box.write(`${FOLDER}/guard.sh`, SCRIPT, 0o755)
  const discover: typeof box.discover = (change, previous) =>
    box.discover({ trustUnsignedTeams: true, ...change }, previous)
  return { ...box, discover, load: async () => layerOf(await discover(), 'team') }
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
    const layer = layerOf(await box.discover({ home: box.path('my home'), trustUnsignedTeams: true }), 'team')
    expect(layer.hooks[0]?.command).toBe(`'${script}'`)
    expect(layer.hooks[0]?.scripts[0]?.path).toBe(script)
    expect(layer.issues).toEqual([])
  })

  test('prompts need no script', async () => {
    const layer = await team([
      hook({ type: 'prompt', prompt: 'ok?', model: 'm', script_name: undefined }),
    ]).load()
    expect(layer.hooks).toMatchObject([{ type: 'prompt', prompt: 'ok?', model: 'm', timeoutMs: 30_000 }])
    const beside = await team([hook({ type: 'prompt', prompt: 'ok?', sha256: sum('other') })]).load()
    expect(beside).toMatchObject({ hooks: [{ type: 'prompt', name: 'ok?' }], dropped: 0, issues: [] })
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
    ['linux', 'Linux'],
    ['freebsd', 'Linux'],
    ['darwin', 'Macintosh'],
    ['win32', 'Windows'],
  ] as const)('%s is called %s', async (platform, system) => {
    const box = team(['Linux', 'Macintosh', 'Windows'].map(name => hook({ operating_systems: [name] })))
    const cwd = box.path(FOLDER)
    const source = { kind: 'team', file: join(cwd, 'manifest.json'), cwd, format: 'manifest' } as const
    const options = box.options({ platform, trustUnsignedTeams: true })
    const { drafts } = await loadTeam(source, openReport('team', source.file), options)
    expect(drafts.map(({ path }) => path)).toEqual([
      `hooks[${['Linux', 'Macintosh', 'Windows'].indexOf(system)}]`,
    ])
  })

  test('a script of some megabytes is checked, too', async () => {
    const large = `${SCRIPT}${'#'.repeat(2_000_000)}`
    const box = team([hook({ sha256: sum(large) })])
    expect(await box.load()).toMatchObject({ hooks: [], dropped: 1 })
    box.write(`${FOLDER}/guard.sh`, large, 0o755)
    expect(await box.load()).toMatchObject({ hooks: [{ event: 'beforeShellExecution' }], dropped: 0 })
  })

  test('an empty sum is not the sum of any script', async () => {
    for (const sha256 of ['', ' ', null])
      expect(await team([hook({ sha256 })]).load()).toMatchObject({ hooks: [], dropped: 1 })
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

  test('content that differs from the hash in the manifest', async () => {
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
    [hook({ mode: 'watch' }), 'config/bad-field'],
    [hook({ mode: null }), 'config/bad-field'],
    [hook({ mode: ['observe'] }), 'config/bad-field'],
  ])('%j is left out and reported', async (entry, code) => {
    const layer = await team([entry]).load()
    expect(layer).toMatchObject({ hooks: [], dropped: 1 })
    expect(codes(layer.issues)).toEqual([code])
  })

  test.each(['{', '[]', '{}', { hooks: {} }, '\xff'])('the manifest %j is broken', async manifest => {
    const layer = await team([], manifest).load()
    expect(layer.state).toBe('failed')
    expect(codes(layer.issues)).toEqual(['config/manifest'])
  })

  test('an unknown event is a warning', async () => {
    const layer = await team([hook({ hook_step: 'beforeLunch' })]).load()
    expect(layer).toMatchObject({ hooks: [], dropped: 0 })
    expect(layer.issues).toMatchObject([{ code: 'config/unknown-event', severity: 'warning' }])
  })

  test('a sum in capital letters is the same sum', async () => {
    const layer = await team([hook({ sha256: sum(SCRIPT).toUpperCase() })]).load()
    expect(layer).toMatchObject({ dropped: 0, issues: [] })
  })

  test('a managed folder that cannot be listed is reported, and its teams stay', async () => {
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
    expect(codes(second.missing)).toEqual(['config/required-missing', 'config/required-missing'])
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

  test('when the manifest breaks and a file appears beside the scripts, the hooks end', async () => {
    const box = team([hook({ sha256: sum(SCRIPT) })])
    const first = await box.discover()
    box.write(`${FOLDER}/manifest.json`, '{')
    box.write(`${FOLDER}/json.py`, '')
    const second = layerOf(await box.discover({}, first), 'team')
    expect(second).toMatchObject({ state: 'kept', hooks: [], dropped: 1 })
  })

  test.each(['home/.cursor/managed', 'home/.cursor/managed/team_7'])('%s may be a file', async file => {
    const box = sandbox()
    box.write(file, '')
    const catalog = await box.discover({ teamId: '7', required: ['team'] })
    expect(layerOf(catalog, 'team').hooks).toEqual([])
    expect(codes(catalog.missing)).toEqual(['config/required-missing'])
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

describe('a hook of a manifest', () => {
  test('enforces unless its mode is observe', async () => {
    const layer = await team([hook(), hook({ mode: 'enforce' }), hook({ mode: 'observe' })]).load()
    expect(layer).toMatchObject({ dropped: 0, issues: [] })
    expect(layer.hooks.map(({ mode }) => mode)).toEqual(['enforce', 'enforce', 'observe'])
  })

  test('is the same hook for the fingerprint, whatever its mode and its numbers', async () => {
    const box = team([hook()])
    const before = await box.load()
    box.write(`${FOLDER}/manifest.json`, {
      release: 9,
      hooks: [hook({ mode: 'observe', id: 3, revision: 8 })],
    })
    const after = await box.load()
    expect(after.hooks[0]?.fingerprint).toBe(before.hooks[0]?.fingerprint)
  })

  test('has the numbers of the server', async () => {
    const layer = await team([], {
      release: 41,
      hooks: [hook({ id: 7, revision: 3 }), hook({ id: undefined })],
    }).load()
    expect(layer.hooks.map(({ managed }) => managed)).toEqual([
      { id: 7, revision: 3, release: 41 },
      { release: 41 },
    ])
  })

  test('stays without those that are none', async () => {
    const layer = await team([hook({ id: '7', revision: 1.5 }), hook({ id: -1, revision: 2 ** 53 })]).load()
    expect(layer.hooks.map(({ managed }) => managed)).toEqual([undefined, undefined])
    expect(layer.dropped).toBe(0)
    expect(layer.issues).toHaveLength(4)
    expect(layer.issues[0]).toMatchObject({
      severity: 'warning',
      path: 'hooks[0].id',
      message: '"id" is "7"; expected a whole number. It is not used.',
    })
  })

  test('keeps its mode and its numbers when the manifest breaks', async () => {
    const box = team([], { release: 4, hooks: [hook({ mode: 'observe', revision: 2 })] })
    const first = await box.discover()
    box.write(`${FOLDER}/manifest.json`, '{')
    expect(layerOf(await box.discover({}, first), 'team')).toMatchObject({
      state: 'kept',
      team: { release: 4 },
      hooks: [{ mode: 'observe', managed: { id: 1, revision: 2, release: 4 } }],
    })
  })
})

describe('the head of a manifest', () => {
  const head = async (change: object) => {
    const box = team([], { hooks: [], ...change })
    const layer = await box.load()
    return { box, team: layer.team, issues: layer.issues, state: layer.state }
  }

  test('may be empty', async () => {
    expect(await head({})).toMatchObject({ team: { records: 'managed' }, issues: [] })
  })

  test('contains its team, its release, and the queue of records', async () => {
    const {
      box,
      team: said,
      issues,
    } = await head({
      team: 7,
      release: 41,
      records: 'all',
      queue: '../queue',
    })
    expect(issues).toEqual([])
    expect(said).toEqual({
      isVerified: false,
      id: '7',
      release: 41,
      records: 'all',
      queue: box.path('home/.cursor/managed/team_7/queue'),
    })
  })

  test.each([
    [{ team: '8' }, '"team" is "8"; expected "7", as the folder says. It is not used.'],
    [{ team: '77' }, '"team" is "77"; expected "7", as the folder says. It is not used.'],
    [{ team: {} }, '"team" is an object; expected "7", as the folder says. It is not used.'],
    [{ release: '41' }, '"release" is "41"; expected a whole number. It is not used.'],
    [{ records: 'none' }, '"records" is "none"; expected "managed" or "all". It is not used.'],
  ])('%j is reported and ignored', async (change, message) => {
    const { team: said, issues, state } = await head(change)
    expect(state).toBe('loaded')
    expect(issues).toMatchObject([{ code: 'config/manifest', severity: 'error', message }])
    expect(said).toEqual({ isVerified: false, records: 'managed' })
  })

  test.each([
    '../../queue',
    '../../team_8/queue',
    '../../../../../../../../../../../etc/cron.d',
    '..',
    '/tmp/queue',
    '',
    7,
    [],
    'a\0b',
  ])('the queue %j is refused', async queue => {
    const { team: said, issues } = await head({ queue })
    expect(said).toEqual({ isVerified: false, records: 'managed' })
    expect(issues).toMatchObject([{ code: 'config/manifest', severity: 'error', path: 'queue' }])
  })

  test('any JSON is read without throwing, and dropped hooks are reported', async () => {
    const box = team([])
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('..', '../queue', 'observe', '7', 'guard.sh', 'stop'),
    )
    const dictionary = (keys: string[]) => fc.dictionary(fc.constantFrom(...keys), odd)
    const manifest = fc.record(
      {
        team: odd,
        release: odd,
        records: odd,
        queue: odd,
        hooks: fc.array(
          dictionary(['id', 'revision', 'mode', 'hook_step', 'script_name', 'sha256', 'type', 'timeout']),
        ),
      },
      { requiredKeys: ['hooks'] },
    )
    const within = box.path('home/.cursor/managed/team_7/')
    await fc.assert(
      fc.asyncProperty(manifest, async content => {
        box.write(`${FOLDER}/manifest.json`, content)
        const layer = await box.load()
        expect(layer.hooks.length + layer.dropped).toBeLessThanOrEqual(content.hooks.length)
        expect(layer.dropped === 0 || layer.issues.length > 0).toBe(true)
        expect(layer.team?.queue?.startsWith(within) ?? true).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('a queue that is a link out of the team is refused', async () => {
    for (const queue of ['../queue', '../queue/deeper']) {
      const box = team([], { hooks: [], queue })
      mkdirSync(box.path('elsewhere'))
      symlinkSync(box.path('elsewhere'), box.path('home/.cursor/managed/team_7/queue'))
      expect(codes((await box.load()).issues)).toEqual(['config/manifest'])
    }
  })

  test('a queue beside the team is refused, even where a link leads back into the team', async () => {
    const box = team([], { hooks: [], queue: '../../back/queue' })
    symlinkSync(box.path('home/.cursor/managed/team_7'), box.path('home/.cursor/managed/back'))
    expect(codes((await box.load()).issues)).toEqual(['config/manifest'])
  })
})

describe('the folder as a link to a release', () => {
  const HERE = 'home/.cursor/managed/team_7'
  const released = () => {
    const box = sandbox()
    const release = (number: number, hooks = [hook({ sha256: sum(SCRIPT) })]) => {
      box.write(`${HERE}/store/${number}/manifest.json`, { release: number, hooks, queue: '../../queue' })
      box.write(`${HERE}/store/${number}/guard.sh`, SCRIPT, 0o755)
    }
    const point = (to: string) => {
      symlinkSync(to, box.path(HERE, 'next'))
      renameSync(box.path(HERE, 'next'), box.path(HERE, 'hooks'))
    }
    const discover: typeof box.discover = (change, previous) =>
      box.discover({ trustUnsignedTeams: true, ...change }, previous)
    return { ...box, discover, release, point, load: async () => layerOf(await discover(), 'team') }
  }

  test('scripts are named behind it, and people see the short name', async () => {
    const box = released()
    box.release(1)
    box.point('store/1')
    const layer = await box.load()
    expect(layer).toMatchObject({
      issues: [],
      source: { file: box.path(HERE, 'hooks/manifest.json'), cwd: box.path(HERE, 'store/1') },
      team: { release: 1, queue: box.path(HERE, 'queue') },
      hooks: [
        {
          id: 'team:~/.cursor/managed/team_7/hooks/manifest.json:hooks[0]',
          name: box.path(HERE, 'hooks/guard.sh'),
          command: box.path(HERE, 'store/1/guard.sh'),
          file: box.path(HERE, 'hooks/manifest.json'),
          cwd: box.path(HERE, 'store/1'),
          scripts: [{ path: box.path(HERE, 'store/1/guard.sh') }],
        },
      ],
    })
    box.release(2)
    box.point('store/2')
    expect((await box.load()).hooks).toMatchObject([
      { name: box.path(HERE, 'hooks/guard.sh'), command: box.path(HERE, 'store/2/guard.sh') },
    ])
  })

  test('a broken release leaves the one before active, with its own scripts', async () => {
    const box = released()
    box.release(1)
    box.point('store/1')
    const first = await box.discover()
    box.write(`${HERE}/store/2/manifest.json`, '{')
    box.write(`${HERE}/store/2/guard.sh`, 'other', 0o755)
    box.point('store/2')
    const second = layerOf(await box.discover({}, first), 'team')
    expect(second).toMatchObject({ state: 'kept', dropped: 0, team: { release: 1 } })
    expect(second.hooks[0]?.command).toBe(box.path(HERE, 'store/1/guard.sh'))
  })

  test('a link that leads nowhere is broken, not gone', async () => {
    const box = released()
    box.release(1)
    box.point('store/1')
    const first = await box.discover()
    box.point('store/none')
    expect(layerOf(await box.discover(), 'team')).toMatchObject({
      state: 'failed',
      issues: [{ code: 'config/manifest', message: expect.stringContaining('leads nowhere') }],
    })
    expect(layerOf(await box.discover({}, first), 'team').state).toBe('kept')
    rmSync(box.path(HERE, 'hooks'))
    expect(layerOf(await box.discover({}, first), 'team').state).toBe('absent')
  })

  test('a team stays when the folders can no longer be listed', async () => {
    const box = released()
    box.release(1)
    box.point('store/1')
    const first = await box.discover()
    renameSync(box.path('home/.cursor/managed'), box.path('elsewhere'))
    symlinkSync('managed', box.path('home/.cursor/managed'))
    const teams = (await box.discover({}, first)).layers.filter(({ source }) => source.kind === 'team')
    expect(teams.map(({ state }) => state)).toEqual(['failed', 'kept'])
  })
})
