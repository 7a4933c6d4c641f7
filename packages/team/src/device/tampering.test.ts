// Another program of the same user, such as the guarded agent, changes the managed folder. The engine verifies the folder
// when it loads it: a folder that is not what the team signed is a missing source, is recorded, and is reported.

import crypto from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type Hooks, type HostOptions, openHooks, type RunRecord } from '@holdfast/hooks'
import { jsonBytes, manifestOf, type ReleasePayload, writeSeal } from '@holdfast/hooks/team'
import { afterEach, describe, expect, it } from 'vitest'
import { commandHook, keys, testTeam } from '../seal/testing/team.js'
import { cleanUp, freshDevice, publish, type TestDevice } from './testing/device.js'

cleanUp()
const opened: Hooks[] = []
afterEach(() => {
  for (const hooks of opened.splice(0)) hooks.close()
})

const DENIES = `#!/bin/sh\necho '{"permission":"deny","user_message":"signed"}'\n`
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
  const sealed = team.release({ release: 2, hooks: [commandHook({}, ALLOWS)] })
  const payload = JSON.parse(Buffer.from(sealed.payload).toString()) as ReleasePayload
  put(join(set, 'release.json'), jsonBytes(writeSeal(sealed)))
  put(join(set, 'manifest.json'), manifestOf(payload, 'Linux'))
  put(join(set, 'guard.sh'), ALLOWS)
}

const replaceChain = ({ place }: TestDevice, team = testTeam()) => {
  rmSync(place.trust, { recursive: true })
  mkdirSync(place.trust)
  put(join(place.trust, '1.json'), jsonBytes(writeSeal(team.chain[0]!)))
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
