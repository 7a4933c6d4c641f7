// `holdfast test` as a long-running process: watching, interruption, a few cases at a time.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { isAlive, until, Workspace } from '../fixtures/workspace.js'

const BIN = join(root, 'packages/cli/bin/holdfast.cjs')

let space: Workspace
let tmp: string
const children: ChildProcess[] = []
beforeEach(() => {
  space = new Workspace()
  tmp = realpathSync(space.folder('tmp'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  space.close()
})

function start(...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: space.home, TMPDIR: tmp, NO_COLOR: '1' }
  const child = spawn(process.execPath, [BIN, 'test', ...args], {
    cwd: space.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const seen = { output: '' }
  const take = (chunk: Buffer) => {
    seen.output += chunk.toString('utf8')
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  /** Waits for it after the previous one. */
  let read = 0
  const says = async (text: string) => {
    await until(() => seen.output.includes(text, read)).catch(() => {
      throw new Error(`It did not say "${text}":\n${seen.output}`)
    })
    read = seen.output.indexOf(text, read) + text.length
  }
  return { child, ended, says, output: () => seen.output }
}

const left = () => readdirSync(tmp).filter(name => name.startsWith('holdfast-'))
const guard = (permission: string) => `#!/bin/sh\nprintf '{"permission":"${permission}"}'\n`
const CASE = 'cases:\n  - { name: denies, event: beforeShellExecution, expect: deny }\n'

describe('a case that would pass for the wrong reason', () => {
  it('fails where a hook of its event was not loaded', async () => {
    space.project({ beforeShellExecution: [{ comand: './guard.sh' }], stop: [] })
    space.write(
      '.cursor/a.hooks-test.yaml',
      `cases:
  - { name: lets it through, event: beforeShellExecution, expect: proceeds }
  - { name: of another event, event: stop, expect: proceeds }
`,
    )
    const { ended, output } = start()
    expect(await ended, output()).toBe(1)
    expect(output()).toContain('The command hook has no "command"')
    expect(output()).toContain('1 passed, 1 failed')
  })

  it('fails where a loop has no follow-up, and each was to say something', async () => {
    space.project({ stop: [{ command: 'echo {}' }] })
    const loop = (name: string, expect: string) =>
      `  - { name: ${name}, session: [{ loop: stop, expect: ${expect} }] }\n`
    space.write(
      '.cursor/a.hooks-test.yaml',
      `cases:\n${loop('says so', '{ followup: /tests/ }')}${loop('is silent', '{ followups: 0 }')}`,
    )
    const { ended, output } = start()
    expect(await ended, output()).toBe(1)
    expect(output()).toContain('1 passed, 1 failed')
  })
})

it.skipIf(process.platform === 'win32')('a pipe is not waited for', async () => {
  space.project({ stop: [] })
  execFileSync('mkfifo', [join(space.root, 'a.hooks-test.yaml')])
  const { ended, output } = start('a.hooks-test.yaml')
  expect(await ended).toBe(2)
  expect(output()).toContain('This is not a file.')
})

describe('--watch', () => {
  beforeEach(() => {
    space.write('.cursor/guard.sh', guard('allow'))
    space.project({ beforeShellExecution: [{ command: '.cursor/guard.sh' }] })
    space.write('.cursor/a.hooks-test.yaml', CASE)
  })

  it('runs again when a script, the hooks.json or a test file changes, and ends on request', async () => {
    const { child, ended, says } = start('--watch')
    await says('0 passed, 1 failed')
    await says('Waiting for a change of 1 test file and 2 files of the hooks; Ctrl-C ends.')

    space.write('.cursor/guard.sh', guard('deny'))
    await says('changed: .cursor/guard.sh')
    await says('1 passed')
    await says('Waiting')

    space.project({ stop: [] })
    await says('changed: .cursor/hooks.json')
    await says('no hook is configured for beforeShellExecution')
    await says('Waiting')

    space.project({ beforeShellExecution: [{ command: '.cursor/guard.sh' }] })
    await says('1 passed')
    await says('Waiting')

    space.write('.cursor/b.hooks-test.yaml', 'cases: [')
    await says('changed: .cursor/b.hooks-test.yaml')
    await says('is not closed')
    await says('Waiting')

    rmSync(join(space.root, '.cursor/b.hooks-test.yaml'))
    await says('1 passed')
    await says('Waiting')

    rmSync(join(space.root, '.cursor/a.hooks-test.yaml'))
    await says('changed: .cursor/a.hooks-test.yaml\n')
    await says('No test files were found')
    await says('Waiting for a test file')

    space.write('.cursor/a.hooks-test.yaml', CASE)
    await says('1 passed')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(left()).toEqual([])
  })

  it('begins only with something to watch', async () => {
    rmSync(join(space.root, '.cursor/a.hooks-test.yaml'))
    const { ended, output } = start('--watch')
    expect(await ended).toBe(2)
    expect(output()).toContain('No test files were found')
  })
})

describe('an interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the hooks and removes the folders', async (signal, code) => {
    const pid = join(space.base, 'pid')
    space.project({
      beforeShellExecution: [{ command: `echo $$ > ${pid}.new; mv ${pid}.new ${pid}; sleep 30` }],
    })
    space.write(
      '.cursor/a.hooks-test.yaml',
      'cases:\n  - { name: one, event: stop, expect: none }\n  - { name: slow, event: beforeShellExecution, expect: deny }\n',
    )
    const { child, ended, says, output } = start()
    await says('one')
    await until(() => readdirSync(space.base).includes('pid'))
    expect(left()).not.toEqual([])
    child.kill(signal)
    expect(await ended).toBe(code)
    expect(output()).toContain('Interrupted: 1 passed, 1 not run')
    expect(left()).toEqual([])
    await until(() => !isAlive(Number(readFileSync(pid, 'utf8'))))
  })

  it('in a step of the author ends what it started, too', async () => {
    const pid = join(space.base, 'pid')
    space.project({})
    space.write(
      '.cursor/a.hooks-test.yaml',
      `cases:\n  - name: one\n    session:\n      - run: echo $$ > ${pid}.new; mv ${pid}.new ${pid}; sleep 30\n      - event: stop\n`,
    )
    const { child, ended } = start()
    await until(() => readdirSync(space.base).includes('pid'))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(left()).toEqual([])
    await until(() => !isAlive(Number(readFileSync(pid, 'utf8'))))
  })
})

describe('many cases', () => {
  it('run a few at a time, and are reported in their order', async () => {
    const log = join(space.base, 'log')
    // Later ones are faster.
    space.project({
      beforeShellExecution: [
        {
          command: `n=$(grep -o '"command":"[0-9]*' | grep -o '[0-9]*$'); echo + >> ${log}; sleep 0.$((9 - n)); echo - >> ${log}; echo '{}'`,
        },
      ],
    })
    const names = [0, 1, 2, 3, 4, 5, 6, 7].map(
      n => `  - { name: case ${n}, event: beforeShellExecution, payload: { command: "${n}" }, expect: none }`,
    )
    space.write('.cursor/a.hooks-test.yaml', `cases:\n${names.join('\n')}\n`)
    const { ended, output } = start()
    expect(await ended).toBe(0)
    expect([...output().matchAll(/✓ case (\d)/g)].map(([, n]) => Number(n))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    let running = 0
    let most = 0
    for (const sign of readFileSync(log, 'utf8').trim().split('\n')) {
      running += sign === '+' ? 1 : -1
      most = Math.max(most, running)
    }
    expect(most).toBeGreaterThanOrEqual(2)
    expect(most).toBeLessThanOrEqual(4)
  })

  it('leave a server of one case running no longer than the case', async () => {
    const pid = join(space.base, 'pid')
    space.project({ stop: [{ command: `kill -0 $(cat ${pid}) && echo '{"followup_message":"up"}'` }] })
    space.write(
      '.cursor/a.hooks-test.yaml',
      `cases:\n  - name: server\n    session:\n      - run: sleep 60 & echo $! > ${pid}\n      - event: stop\n        expect: { followup: up }\n`,
    )
    const { ended, output } = start()
    expect(await ended, output()).toBe(0)
    await until(() => !isAlive(Number(readFileSync(pid, 'utf8'))))
    expect(left()).toEqual([])
  })

  it('are not lost when nobody reads them', async () => {
    space.project({})
    writeFileSync(join(space.root, '.cursor/a.hooks-test.yaml'), CASE)
    const { child, ended } = start()
    child.stdout!.destroy()
    expect(await ended).toBe(1)
    expect(left()).toEqual([])
  })
})
