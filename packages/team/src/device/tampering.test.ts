// Another program of the same user, such as the guarded agent, changes the managed folder. The engine verifies the folder
// when it loads it: a folder that is not what the team signed is a missing source, is recorded, and is reported.

import crypto from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type Hooks, type HostOptions, openHooks, type RunRecord } from '@holdfast/hooks'
import { jsonBytes, manifestOf, type ReleasePayload, writeEnvelope } from '@holdfast/hooks/team'
import { afterEach, describe, expect, it } from 'vitest'
import { commandHook, testTeam } from '../signing/testing/team.js'
import { leave } from './leave.js'
import { cleanUp, freshDevice, publish, type TestDevice } from './testing/device.js'

cleanUp()
const opened: Hooks[] = []
afterEach(() => {
  for (const hooks of opened.splice(0)) hooks.close()
})

const DENIES = `#!/bin/sh\necho '{"permission":"deny","user_message":"signed"}'\n`
const PYTHON_RULES = `def deny():\n  print('{"permission":"deny","user_message":"by Python"}')\n`
const ALLOWS = `#!/bin/sh\necho '{"permission":"allow"}'\n`

/** Two releases in the store, and two versions of root metadata; the hook of the newer release denies. */
async function joined(): Promise<TestDevice> {
  const device = await freshDevice({ platform: 'linux' })
  const { server } = device
  server.team.chain.push(server.team.next({ epoch: 0 }))
  for (const [number, script] of [ALLOWS, DENIES].entries()) {
    const release = publish(server, number + 1, { hooks: [commandHook({}, script)] })
    server.offer = { release, scripts: [script] }
    expect(await device.sync()).toMatchObject({ kind: 'updated' })
  }
  return device
}

async function open({ home }: TestDevice, change: Partial<HostOptions> = {}): Promise<Hooks> {
  const hooks = await openHooks({
    workspaceRoots: [],
    home,
    enterpriseDir: join(home, 'none'),
    platform: 'linux',
    watch: false,
    log: { file: null },
    ...change,
  })
  opened.push(hooks)
  return hooks
}

const fire = (hooks: Hooks) => hooks.fire('beforeShellExecution', { command: 'rm -rf /' })
const teamLayer = (hooks: Hooks) => hooks.catalog().layers.find(({ source }) => source.kind === 'team')!
const setOf = ({ place }: TestDevice) => realpathSync(place.hooks)
const put = (file: string, content: string | Uint8Array, mode = 0o500) => {
  rmSync(file, { force: true })
  writeFileSync(file, content, { mode })
}
const olderSet = (device: TestDevice) => readdirSync(device.place.store).find(name => name.startsWith('1-'))!
const link = ({ place }: TestDevice, target: string) => {
  rmSync(place.hooks, { recursive: true })
  symlinkSync(target, place.hooks)
}
const edit = (file: string, change: (value: Record<string, unknown>) => object) =>
  put(file, jsonBytes(change(JSON.parse(readFileSync(file, 'utf8')))), 0o600)

/** Writes a release that another key signed, with the manifest and the script that belong to it. */
function forge(device: TestDevice, team = testTeam()): void {
  const set = setOf(device)
  const envelope = team.release({ release: 2, hooks: [commandHook({}, ALLOWS)] })
  const payload = JSON.parse(Buffer.from(envelope.payload).toString()) as ReleasePayload
  put(join(set, 'release.json'), jsonBytes(writeEnvelope(envelope)))
  put(join(set, 'manifest.json'), manifestOf(payload, 'Linux'))
  put(join(set, 'guard.sh'), ALLOWS)
}

const replaceChain = ({ place }: TestDevice, team = testTeam()) => {
  rmSync(place.trust, { recursive: true })
  mkdirSync(place.trust)
  put(join(place.trust, '1.json'), jsonBytes(writeEnvelope(team.chain[0]!)))
  return team
}

const ATTACKS: Record<string, (device: TestDevice) => void> = {
  'the manifest loses its hooks': device =>
    edit(join(setOf(device), 'manifest.json'), value => ({ ...value, hooks: [] })),
  'the manifest gets other spaces': device => {
    const file = join(setOf(device), 'manifest.json')
    put(file, `${readFileSync(file, 'utf8')} `)
  },
  'the manifest is cut off': device => {
    const file = join(setOf(device), 'manifest.json')
    put(file, readFileSync(file).subarray(0, 40))
  },
  'the manifest is removed': device => rmSync(join(setOf(device), 'manifest.json')),
  'the manifest is a link to the same bytes': device => {
    const file = join(setOf(device), 'manifest.json')
    cpSync(file, join(device.home, 'copy.json'))
    rmSync(file)
    symlinkSync(join(device.home, 'copy.json'), file)
  },
  'a script is changed': device => put(join(setOf(device), 'guard.sh'), ALLOWS),
  'a script and its sum in the manifest are changed': device => {
    const file = join(setOf(device), 'manifest.json')
    const { sha256 } = commandHook({}, ALLOWS)
    edit(file, value => ({
      ...value,
      hooks: (value.hooks as object[]).map(hook => ({ ...hook, sha256 })),
    }))
    put(join(setOf(device), 'guard.sh'), ALLOWS)
  },
  'a script is removed': device => rmSync(join(setOf(device), 'guard.sh')),
  'a script may not be executed': device => chmodSync(join(setOf(device), 'guard.sh'), 0o400),
  'the release is changed, with its manifest and script': device => {
    const set = setOf(device)
    const hooks = [commandHook({}, ALLOWS)]
    edit(join(set, 'release.json'), value => {
      const payload = JSON.parse(Buffer.from(String(value.payload), 'base64').toString())
      put(join(set, 'manifest.json'), manifestOf({ ...payload, hooks }, 'Linux'))
      return { ...value, payload: Buffer.from(JSON.stringify({ ...payload, hooks })).toString('base64') }
    })
    put(join(set, 'guard.sh'), ALLOWS)
  },
  'the release is removed': device => rmSync(join(setOf(device), 'release.json')),
  'everything in the set is signed by another key': device => forge(device),
  'the root metadata and the set are those of another team': device => forge(device, replaceChain(device)),
  'the root metadata is removed': ({ place }) => rmSync(place.trust, { recursive: true }),
  'the newest root metadata is removed': ({ place }) => rmSync(join(place.trust, '2.json')),
  'the pinned fingerprint is changed': ({ place }) =>
    edit(place.enrolment, value => ({ ...value, fingerprint: 'a'.repeat(64) })),
  'the enrolment is removed': ({ place }) => rmSync(place.enrolment),
  'the enrolment and everything else of the team is removed': ({ place }) =>
    rmSync(place.folder, { recursive: true }),
  'the enrolment is damaged': ({ place }) => put(place.enrolment, '{}'),
  'the state is removed': ({ place }) => rmSync(place.state),
  'the link leads to an older release': device => link(device, `store/${olderSet(device)}`),
  'the link leads to a copy outside of the store': device => {
    cpSync(setOf(device), join(device.home, 'copy'), { recursive: true })
    link(device, join(device.home, 'copy'))
  },
  'the link leads nowhere': device => link(device, 'store/none'),
  'the link is removed': ({ place }) => rmSync(place.hooks),
  'the link is a folder with a manifest that nobody signed': device => {
    rmSync(device.place.hooks)
    mkdirSync(device.place.hooks)
    writeFileSync(join(device.place.hooks, 'manifest.json'), '{"hooks":[]}')
  },
  'a file is added that a script may import': device => put(join(setOf(device), 'json.py'), 'x = 1\n'),
  'a folder of packages is added': device => mkdirSync(join(setOf(device), 'node_modules')),
  'a hidden file is added': device => put(join(setOf(device), '.env'), ''),
  'a link is added': device => symlinkSync('/tmp', join(setOf(device), 'site.py')),
  'the lease is a folder': device => {
    rmSync(join(setOf(device), 'lease.json'), { force: true })
    mkdirSync(join(setOf(device), 'lease.json'))
  },
  'a script of another system is added': device => put(join(setOf(device), 'guard.ps1'), ''),
  'the set is one without hooks that no lease orders': device => {
    const name = 'killed-0000000000000000'
    const folder = join(device.place.store, name)
    cpSync(setOf(device), folder, { recursive: true })
    put(join(folder, 'manifest.json'), '{"hooks":[]}')
    edit(device.place.state, value => ({ ...value, current: name }))
    link(device, `store/${name}`)
  },
}

describe('a managed folder of which', () => {
  it('nothing was changed is verified', async () => {
    const device = await joined()
    const hooks = await open(device, { required: ['team'] })
    expect(hooks.issues()).toEqual([])
    expect(teamLayer(hooks)).toMatchObject({ state: 'loaded', team: { isVerified: true, release: 2 } })
    expect(await fire(hooks)).toMatchObject({ permission: 'deny', userMessage: 'signed' })
  })

  it.each(Object.keys(ATTACKS))('%s is a missing source', async what => {
    const device = await joined()
    const running = await open(device)
    ATTACKS[what]!(device)
    for (const hooks of [await open(device), await open(device, { trustUnsignedTeams: true }), running]) {
      await hooks.reload()
      expect(teamLayer(hooks)).toMatchObject({ state: 'failed', hooks: [] })
      expect(hooks.issues().map(({ code, severity }) => [code, severity])).toEqual([
        ['config/manifest-unverified', 'error'],
      ])
    }
    const hooks = await open(device, { required: ['team'], trustUnsignedTeams: true })
    const verdict = await fire(hooks)
    expect(verdict.permission).toBe('deny')
    expect(verdict.userMessage).toContain('team source is required')
    expect(hooks.log()).toMatchObject([{ source: 'team', permission: 'deny', hook: 'required source' }])
  })
})

describe('of two teams', () => {
  const both = async () => {
    const device = await joined()
    const other = await freshDevice(device.around, testTeam('other'))
    publish(other.server, 1)
    await other.sync()
    return { device, other }
  }

  it('each is required, also when its folder is removed completely', async () => {
    const { device, other } = await both()
    expect((await fire(await open(device, { required: ['team'] }))).userMessage).toBe('signed')
    rmSync(device.place.folder, { recursive: true })
    const hooks = await open(other, { required: ['team'] })
    expect((await fire(hooks)).userMessage).toContain('team source is required')
    expect(hooks.issues().map(({ code }) => code)).toContain('config/manifest-unverified')
  })

  it('one that the device leaves is not required any more', async () => {
    const { device, other } = await both()
    await leave(device.around, 'acme')
    const hooks = await open(other, { required: ['team'] })
    expect(hooks.issues()).toEqual([])
    expect((await fire(hooks)).permission).not.toBe('deny')
  })
})

describe('a file that appears in the folder of a release', () => {
  it('while an engine runs ends its hooks before the next event', async () => {
    const device = await joined()
    const hooks = await open(device, { required: ['team'] })
    expect(await fire(hooks)).toMatchObject({ userMessage: 'signed' })
    ATTACKS['a file is added that a script may import']!(device)
    expect((await fire(hooks)).userMessage).toContain('json.py, which is not a file of the signed release')
  })

  it('is not written by Python, which imports another script of the release', async () => {
    const device = await freshDevice({ platform: 'linux' })
    const scripts = [`#!/usr/bin/env python3\nimport rules\nrules.deny()\n`, PYTHON_RULES]
    const release = publish(device.server, 1, {
      hooks: [
        commandHook({ script_name: 'guard.py' }, scripts[0]),
        commandHook({ id: 2, script_name: 'rules.py', hook_step: 'stop' }, scripts[1]),
      ],
    })
    device.server.offer = { release, scripts }
    await device.sync()
    const hooks = await open(device, { required: ['team'] })
    for (let i = 0; i < 2; i++) expect(await fire(hooks)).toMatchObject({ userMessage: 'by Python' })
    expect(readdirSync(setOf(device))).not.toContain('__pycache__')
  })

  it('is gone after the next sync, also without a network', async () => {
    const device = await joined()
    ATTACKS['a file is added that a script may import']!(device)
    ATTACKS['a folder of packages is added']!(device)
    await device.server.close()
    await device.sync()
    const hooks = await open(device, { required: ['team'] })
    expect(hooks.issues()).toEqual([])
    expect(await fire(hooks)).toMatchObject({ permission: 'deny', userMessage: 'signed' })
    expect(readdirSync(setOf(device)).sort()).toEqual([
      'guard.sh',
      'lease.json',
      'manifest.json',
      'release.json',
    ])
  })
})

describe('a folder that cannot be verified', () => {
  const queued = ({ place }: TestDevice): RunRecord[] =>
    readFileSync(join(place.queue, 'active.jsonl'), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))

  it('is recorded once for each load, also where nothing is denied, and the record is queued', async () => {
    const device = await joined()
    ATTACKS['a script is changed']!(device)
    const hooks = await open(device)
    expect((await fire(hooks)).permission).toBeNull()
    await fire(hooks)
    await hooks.reload()
    await fire(hooks)
    const record = {
      source: 'team',
      hook: 'team manifest',
      file: join(device.place.hooks, 'manifest.json'),
      outcome: 'failed',
      permission: null,
      failed_open: true,
      message: expect.stringContaining('guard.sh is not the script of the signed release'),
    }
    expect(hooks.log()).toEqual([expect.objectContaining(record)])
    expect(queued(device)).toEqual(hooks.log())
  })

  it('that is required queues the record of the denial', async () => {
    const device = await joined()
    ATTACKS['the manifest loses its hooks']!(device)
    const hooks = await open(device, { required: ['team'] })
    await fire(hooks)
    expect(hooks.log()).toMatchObject([{ hook: 'required source', permission: 'deny', failed_open: false }])
    expect(queued(device)).toEqual(hooks.log())
  })

  it('whose queue is a link elsewhere gets no records', async () => {
    const device = await joined()
    ATTACKS['a script is changed']!(device)
    rmSync(device.place.queue, { recursive: true })
    mkdirSync(join(device.home, 'elsewhere'))
    symlinkSync(join(device.home, 'elsewhere'), device.place.queue)
    const hooks = await open(device)
    await fire(hooks)
    expect(hooks.log()).toHaveLength(1)
    expect(readdirSync(join(device.home, 'elsewhere'))).toEqual([])
  })

  it('is verified again when the device has restored it, without a new engine', async () => {
    const device = await joined()
    const hooks = await open(device, { watch: true })
    for (const what of ['a script is changed', 'the newest root metadata is removed']) {
      ATTACKS[what]!(device)
      await expect.poll(() => hooks.reload().then(() => teamLayer(hooks).state)).toBe('failed')
      await device.sync()
      await expect.poll(() => teamLayer(hooks).state).toBe('loaded')
      expect((await fire(hooks)).userMessage).toBe('signed')
    }
  })
})

describe('the server', () => {
  it.each(Object.keys(ATTACKS).filter(what => !what.startsWith('the enrolment')))(
    'is reported at the next sync: %s',
    async what => {
      const device = await joined()
      device.server.reports.length = 0
      ATTACKS[what]!(device)
      await device.sync()
      const problems = device.server.reports.flatMap(({ problems }) => problems.map(({ code }) => code))
      expect(problems).toContain('tampered')
    },
  )
})

describe('verification', () => {
  const original = { verify: crypto.verify }
  const counts = { verify: 0 }
  const count = () => {
    counts.verify = 0
    crypto.verify = ((...given: Parameters<typeof crypto.verify>) => {
      counts.verify++
      return original.verify(...given)
    }) as typeof crypto.verify
    syncBuiltinESMExports()
  }
  afterEach(() => {
    crypto.verify = original.verify
    syncBuiltinESMExports()
  })

  it('checks each signature once, and nothing per event or reload', async () => {
    count()
    const device = await joined()
    const hooks = await open(device)
    // Two versions of root metadata, a release and its lease.
    const { verify } = counts
    expect(verify).toBeGreaterThanOrEqual(4)
    for (let i = 0; i < 5; i++) await fire(hooks)
    await hooks.reload()
    expect(counts.verify).toBe(verify)
  })
})

describe('not detected on the device, as the pin itself is in the folder', () => {
  it('an older release together with the state of its time', async () => {
    const device = await joined()
    edit(device.place.state, value => ({ ...value, current: olderSet(device) }))
    ATTACKS['the link leads to an older release']!(device)
    expect(teamLayer(await open(device))).toMatchObject({ state: 'loaded', team: { release: 1 } })
    // The next sync brings the newer one back.
    await device.sync()
    expect(teamLayer(await open(device))).toMatchObject({ state: 'loaded', team: { release: 2 } })
  })
})
