// Ctrl-C while hooks run: the command ends at once, prints a message, and leaves neither hooks nor files behind.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until, Workspace } from '../fixtures/workspace.js'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

function start(...args: string[]) {
  const around = ['--home', space.home, '--enterprise', space.enterprise, '--trust-all']
  const child = spawn(process.execPath, [BIN, ...args, ...around], {
    cwd: space.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += String(chunk)))
  const ended = new Promise<{ code: number | null; printed: string }>(resolve =>
    child.once('close', code => resolve({ code, printed })),
  )
  return { child, ended }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function interrupt(child: ReturnType<typeof start>['child']): Promise<number> {
  const file = join(space.root, 'pid')
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
  child.kill('SIGINT')
  return Number(readFileSync(file, 'utf8'))
}

describe('interrupted', () => {
  it('doctor ends its hook and takes its file away', async () => {
    space.project({ afterFileEdit: [{ command: 'echo $$ >pid; sleep 60' }] })
    const { child, ended } = start('doctor')
    const pid = await interrupt(child)
    expect(await ended).toEqual({ code: 130, printed: 'Interrupted; the hooks were ended.\n' })
    await until(() => !isAlive(pid))
    expect(readdirSync(space.root).filter(name => name.startsWith('holdfast-canary'))).toEqual([])
  })

  it('replay ends its hook', async () => {
    space.project({ stop: [{ command: 'true' }] })
    await start('fire', 'stop').ended
    space.project({ stop: [{ command: 'echo $$ >pid; sleep 60' }] })
    const { child, ended } = start('replay')
    const pid = await interrupt(child)
    expect(await ended).toEqual({ code: 130, printed: 'Interrupted; the hooks were ended.\n' })
    await until(() => !isAlive(pid))
  })
})

describe('doctor', () => {
  it('keeps a file of the user that has the name of its own', async () => {
    const file = space.write('holdfast-canary.txt', 'mine')
    space.project({ afterFileEdit: [{ command: 'true' }] })
    expect((await start('doctor').ended).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})
