// Requiring the team's hooks denies without them, and only then: through the real command, after a real login,
// without the server.

import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { DevicesService } from '@holdfast/team'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { fire, holdfast } from './command.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const PUSHES = `#!/bin/sh
case "$(cat)" in *'git push'*) echo '{"permission":"deny","user_message":"No pushes."}' ;; *) echo '{}' ;; esac
`
const LETS_ALL = `#!/bin/sh\ncat > /dev/null\necho '{}'\n`
const DAY_MS = 24 * 3600 * 1000

let database: TestDatabase
let server: TestServer
let folder: string
let joined: string
let teamId: string
let count = 0
beforeAll(async () => {
  database = await SQLITE.create()
  server = await startTestServer(database.url)
  teamId = server.team.id
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-required-')))
  joined = join(folder, 'joined')
  mkdirSync(joined)
  const admin = callerOf(server.url, await seatMember(server, 'admin'))
  const { hookId } = await publishHook(server, admin, LETS_ALL)
  const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
  const login = ['login', server.url, '--key', secret, '--yes', '--no-background']
  expect(await holdfast(joined, login)).toMatchObject({ code: 0 })
  await publishHook(server, admin, PUSHES, { id: hookId })
  expect(await holdfast(joined, ['team', 'sync', '--no-background'])).toMatchObject({ code: 0 })
  await server.close()
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** A device of the team with two of its releases. */
function machine() {
  const home = join(folder, `home-${count++}`)
  cpSync(joined, home, { recursive: true, verbatimSymlinks: true })
  const team = join(home, '.cursor', 'managed', `team_${teamId}`)
  return { home, team, hooks: join(team, 'hooks'), set: join(team, readlinkSync(join(team, 'hooks'))) }
}
const said = (stdout: string) => JSON.parse(stdout).userMessage ?? JSON.parse(stdout).user_message ?? stdout

it('with the team whole, its hooks decide, and nothing else', async () => {
  const { home } = machine()
  expect(await fire(home, 'git status', '--required', 'team')).toMatchObject({ code: 0, stderr: '' })
  const pushed = await fire(home, 'git push', '--required', 'team')
  expect(pushed).toMatchObject({ code: 2 })
  expect(said(pushed.stdout)).toContain('No pushes.')
})

it('offline for days the last good set holds', { timeout: 60_000 }, async () => {
  const { home, team } = machine()
  const state = JSON.parse(readFileSync(join(team, 'state.json'), 'utf8'))
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const leased = { ...state.leased, from: ago(40), until: ago(33) }
  writeFileSync(join(team, 'state.json'), JSON.stringify({ ...state, synced_at: ago(40), leased }))
  const synced = await holdfast(home, ['team', 'sync', '--no-background'])
  expect(synced).toMatchObject({ code: 1 })
  expect(synced.stdout).toContain('failed; the previous hooks stay active')
  expect((await holdfast(home, ['team', 'status'])).stdout).toContain('the server has not confirmed it')
  expect(await fire(home, 'git status', '--required', 'team')).toMatchObject({ code: 0 })
  expect(await fire(home, 'git push', '--required', 'team')).toMatchObject({ code: 2 })
})

type Machine = ReturnType<typeof machine>
const script = ({ set }: Machine) => join(set, 'shell.sh')
const manifest = ({ set }: Machine) => join(set, 'manifest.json')
const open = ({ set }: Machine) => chmodSync(set, 0o700)
const rewrite = (file: string, content: string | Buffer) => {
  rmSync(file, { force: true })
  writeFileSync(file, content, { mode: 0o500 })
}
const other = ({ team, set }: Machine) => {
  const names = JSON.parse(readFileSync(join(team, 'state.json'), 'utf8'))
  return join(team, 'store', set.endsWith(names.current) ? names.previous : names.current)
}

const BROKEN: Record<string, (machine: Machine) => void> = {
  'the machine never joined': ({ home }) => rmSync(join(home, '.cursor'), { recursive: true }),
  'the folder of the team is gone': ({ team }) => rmSync(team, { recursive: true }),
  'the link is gone': ({ hooks }) => rmSync(hooks),
  'the link leads nowhere': ({ hooks }) => {
    rmSync(hooks)
    symlinkSync('store/9-none', hooks)
  },
  'the set is gone': ({ set }) => rmSync(set, { recursive: true }),
  'the manifest is gone': box => rmSync(manifest(box)),
  'the manifest is cut off': box => {
    chmodSync(manifest(box), 0o600)
    truncateSync(manifest(box), 40)
  },
  'the manifest is empty': box => rewrite(manifest(box), ''),
  'the manifest is no JSON': box => rewrite(manifest(box), Buffer.from([0xff, 0xfe, 0, 1, 2])),
  'the manifest has no hooks': box => rewrite(manifest(box), '{"team_id":"x"}'),
  'a script is gone': box => rmSync(script(box)),
  'a script was changed': box => rewrite(script(box), LETS_ALL.replace('{}', '{ }')),
  'a script may not be executed': box => chmodSync(script(box), 0o400),
  'the manifest of one release with the script of another': box =>
    rewrite(script(box), readFileSync(join(other(box), 'shell.sh'))),
  'the script of one release with the manifest of another': box =>
    rewrite(manifest(box), readFileSync(join(other(box), 'manifest.json'))),
}

it.each(Object.keys(BROKEN))('denied in this process: %s', async what => {
  const box = machine()
  open(box)
  BROKEN[what]!(box)
  const hooks = await openHooks({
    workspaceRoots: [],
    home: box.home,
    enterpriseDir: join(box.home, 'none'),
    watch: false,
    required: ['team'],
  })
  try {
    const asked = await hooks.fire('beforeShellExecution', { command: 'git status', cwd: box.home })
    expect(asked.permission).toBe('deny')
    expect(JSON.stringify(asked)).toContain('team source is required')
    const told = await hooks.fire('afterFileEdit', { file_path: 'a', edits: [] })
    expect(told.permission).not.toBe('deny')
  } finally {
    hooks.close()
  }
})

/** The command prints the same message for all of them: one with a missing file and one with an extra file. */
const SHOWN = ['the machine never joined', 'a script was changed']

it.concurrent.each(runsEverything ? Object.keys(BROKEN) : SHOWN)(
  'denied: %s',
  {
    timeout: 60_000,
  },
  async what => {
    const box = machine()
    open(box)
    BROKEN[what]!(box)
    const fired = await fire(box.home, 'git status', '--required', 'team')
    expect(fired.code, fired.stdout + fired.stderr).toBe(2)
    expect(said(fired.stdout)).toContain('team source is required')
    // No event occurs: only permission events would be affected, and its absence denies none.
    const event = [
      'fire',
      'afterFileEdit',
      '--file-path',
      'a',
      '--json',
      '--enterprise',
      join(box.home, 'none'),
    ]
    expect((await holdfast(box.home, [...event, '--required', 'team'])).code).not.toBe(2)
  },
)

it('what was broken is put right without the server', { timeout: 60_000 }, async () => {
  const box = machine()
  open(box)
  chmodSync(script(box), 0o400)
  expect(await fire(box.home, 'git status', '--required', 'team')).toMatchObject({ code: 2 })
  expect(await holdfast(box.home, ['team', 'sync', '--no-background'])).toMatchObject({ code: 1 })
  expect(await fire(box.home, 'git status', '--required', 'team')).toMatchObject({ code: 0 })
  expect(await fire(box.home, 'git push', '--required', 'team')).toMatchObject({ code: 2 })
})
