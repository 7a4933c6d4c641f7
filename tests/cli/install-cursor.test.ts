// Installs into the machine's folder without permission: the command reports it before it changes anything, with the
// fix.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Workspace } from '../fixtures/workspace.js'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
const isRoot = process.getuid?.() === 0
/** An administrator may write everywhere, so another user runs it. */
const SOMEBODY = isRoot ? { uid: 65534, gid: 65534 } : {}

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const holdfast = (...args: string[]) =>
  spawnSync(process.execPath, [BIN, ...args], { cwd: space.root, encoding: 'utf8', ...SOMEBODY })

it('the folder of the machine is not written without rights', () => {
  const file = space.write('policy/hooks.json', '{ "hooks": { "stop": [{ "command": "true" }] } }')
  const etc = join(space.root, 'etc')
  mkdirSync(etc, { mode: 0o555 })
  for (const folder of [space.base, space.root, join(space.root, 'policy'), space.home])
    chmodSync(folder, 0o755)
  const place = ['--enterprise', '--enterprise-dir', join(etc, 'cursor'), '--home', space.home]
  const { status, stdout, stderr } = holdfast('install', 'cursor', '--from', file, ...place)
  expect(stderr).toBe(
    'etc cannot be written. As an administrator: sudo holdfast install cursor --enterprise. Nothing was written.\n',
  )
  expect([status, readdirSync(etc)]).toEqual([1, []])
  expect(stdout).toContain('hooks in Cursor, for everyone on this machine')
  expect(stdout).not.toContain('Written')
  // Every user may see what it would do.
  expect(holdfast('install', 'cursor', '--from', file, ...place, '--dry-run').status).toBe(0)
  expect(existsSync(join(space.home, '.holdfast'))).toBe(false)
})
