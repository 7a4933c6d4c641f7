// The entries of holdfast install: with a native client they call it, and the response is that of Node.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Around, CLIENT, DENIES, type Ended, hasClient, isBlocked, PROGRAM, until } from './around.js'

describe.runIf(hasClient)('holdfast install', () => {
  let around: Around
  let copy: string

  beforeEach(() => {
    around = new Around({ beforeShellExecution: [{ command: './hook.sh' }] }, { 'hook.sh': DENIES })
    // As npm does.
    mkdirSync(join(around.home, 'bin'))
    symlinkSync(PROGRAM, join(around.home, 'bin/holdfast'))
    around.env.PATH = `${join(around.home, 'bin')}:${process.env.PATH}`
    copy = join(around.home, '.holdfast/bin/holdfast-client')
  })
  afterEach(() => around.close())

  const install = (...options: string[]) => {
    const { status, stderr } = around.cli(['install', 'claude-code', ...options])
    expect(`${status} ${stderr}`).toBe('0 ')
  }
  const commandAt = (folder: string): string =>
    JSON.parse(readFileSync(join(folder, '.claude/settings.json'), 'utf8')).hooks.PreToolUse[0].hooks[0]
      .command
  const call = (): Promise<Ended> =>
    around.start('/bin/sh', ['-c', commandAt(around.home)], around.shell('ls'))

  it('writes entries that the daemon answers', async () => {
    install()
    expect(commandAt(around.home)).toBe(
      `${copy} holdfast bridge claude-code --event PreToolUse --required user || exit 2`,
    )
    const byNode = await call()
    await until(() => around.status() !== undefined)
    const { calls } = around.status()!
    expect(await call()).toEqual(byNode)
    expect(byNode.stdout).toContain('"permissionDecision":"deny"')
    // This one, and the status before.
    expect(around.status()!.calls).toBe(calls + 2)
  })

  it('starts Node again with --no-client', () => {
    install()
    install('--no-client')
    expect(commandAt(around.home)).toMatch(/^holdfast bridge /)
  })

  it('keeps paths of this machine out of shared files', () => {
    around.cli(['trust', '--yes'])
    install('--project')
    expect(commandAt(around.root)).toMatch(/^holdfast bridge /)
    expect(around.cli(['install', 'claude-code', '--user', '--client', '--project']).status).not.toBe(0)
  })

  it('blocks if the client was removed, and doctor reports that; the next installation restores it', async () => {
    install()
    rmSync(copy)
    expect(isBlocked(await call())).toBe(true)
    expect(around.cli(['doctor', '--no-run', '--json']).stdout).toContain(`${copy} is not there`)
    install()
    expect((await call()).stdout).toContain('"permissionDecision":"deny"')
  })

  it('replaces a client of an earlier version, and changes no entry', () => {
    install()
    const entry = commandAt(around.home)
    writeFileSync(copy, 'earlier')
    install()
    expect(commandAt(around.home)).toBe(entry)
    expect(readFileSync(copy).equals(readFileSync(CLIENT))).toBe(true)
  })

  it('writes nothing with --dry-run', () => {
    install('--dry-run')
    expect(existsSync(copy)).toBe(false)
  })
})

describe.runIf(hasClient && process.platform === 'linux')('a home folder that is removed', () => {
  it('ends a daemon that an event has just started', async () => {
    const around = new Around({}, {})
    await around.byClient('PreToolUse', around.shell('ls'))
    expect(daemonsOf(around.home)).toHaveLength(1)
    rmSync(around.home, { recursive: true, force: true, maxRetries: 50 })
    await until(() => daemonsOf(around.home).length === 0)
    expect(existsSync(around.home)).toBe(false)
  })
})

/** The processes of daemons for this home folder, listening or not. */
const daemonsOf = (home: string): string[] =>
  readdirSync('/proc').filter(name => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      return (
        words.includes('\0daemon\0run\0') &&
        readFileSync(`/proc/${name}/environ`, 'utf8').includes(`HOME=${home}\0`)
      )
    } catch {
      return false
    }
  })
