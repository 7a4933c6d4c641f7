// For tests: a machine with its own home that belongs to the team of a test server.

import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HostOptions, openHooks } from '@holdfast/hooks'
import { type Place, placeOf } from '@holdfast/hooks/team'
import { afterEach } from 'vitest'
import type { Envelope, ReleasePayload } from '../../index.js'
import { commandHook, NOW, type TestTeam } from '../../signing/testing/team.js'
import { type Around, aroundOf, enrol, type SyncResult, sync } from '../index.js'
import { type TestServer, testServer } from './server.js'

const folders: string[] = []
const servers: TestServer[] = []

/** Call once per test file. */
export function cleanUp(): void {
  afterEach(async () => {
    await Promise.all(servers.splice(0).map(server => server.close()))
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
}

export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-device-')))
  folders.push(folder)
  return folder
}

export async function freshServer(team?: TestTeam): Promise<TestServer> {
  const server = await testServer(team)
  servers.push(server)
  return server
}

export interface TestDevice {
  readonly home: string
  readonly around: Around
  readonly server: TestServer
  readonly place: Place
  sync(change?: Partial<Around>): Promise<SyncResult>
  /** What the engine makes of the managed folder: the events of its team hooks, and its issues. */
  engine(): Promise<{ events: string[]; issues: string[]; commands: string[] }>
}

export async function freshDevice(change: Partial<Around> = {}, team?: TestTeam): Promise<TestDevice> {
  const server = await freshServer(team)
  const home = change.home ?? freshFolder()
  const around: Around = { ...aroundOf({ clientVersion: '1.2.3', home, now: () => NOW }), ...change }
  const result = await enrol(around, { server: server.url, proof: { enrolmentKey: server.enrolmentKey } })
  if (!result.ok) throw new Error(JSON.stringify(result))
  return {
    home,
    around,
    server,
    place: placeOf(home, server.team.first.team_id),
    sync: (more = {}) => sync({ ...around, ...more }, server.team.first.team_id),
    engine: () => engineOf(home),
  }
}

export async function engineOf(home: string, options: Partial<HostOptions> = {}) {
  const hooks = await openHooks({
    workspaceRoots: [],
    home,
    enterpriseDir: join(home, 'none'),
    watch: false,
    required: ['team'],
    log: { file: null },
    ...options,
  })
  try {
    const team = hooks.catalog().layers.filter(({ source }) => source.kind === 'team')
    const found = team.flatMap(layer => layer.hooks)
    return {
      events: found.map(({ event }) => event),
      commands: found.map(({ command }) => command ?? ''),
      issues: hooks.issues().map(({ code }) => code),
    }
  } finally {
    hooks.close()
  }
}

export const scriptOf = (word: string) => `#!/bin/sh\n# ${word}\necho '{}'\n`

/** The team has a new release with one script that holds the word. */
export function publish(server: TestServer, number: number, change: Partial<ReleasePayload> = {}): Envelope {
  const script = scriptOf(`release ${number}`)
  const release = server.team.release({ release: number, hooks: [commandHook({}, script)], ...change })
  server.offer = { release, scripts: [script] }
  return release
}

/** Every file under a folder with its mode and content; links with where they lead. */
export function picture(folder: string): Record<string, string> {
  const seen: Record<string, string> = {}
  const walk = (path: string, name: string) => {
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) seen[name] = `-> ${readlinkSync(path)}`
    else if (stats.isFile()) seen[name] = `${mode} ${readFileSync(path, 'latin1')}`
    else {
      seen[`${name}/`] = mode
      for (const entry of readdirSync(path)) walk(join(path, entry), `${name}/${entry}`)
    }
  }
  if (existsSync(folder)) walk(folder, '')
  return seen
}

/** What runs when a hook does: the link, and all that it leads to. */
export function setPicture(place: Place): Record<string, string> {
  return { link: readlinkSync(place.hooks), ...picture(realpathSync(place.hooks)) }
}
