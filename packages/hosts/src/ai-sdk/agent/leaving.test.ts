// A real process that leaves in every way there is, with an agent that nobody ended.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openPlace, type Place } from './testing/place.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let place: Place
let program: string
beforeAll(async () => {
  place = openPlace()
  place.audit({ sessionEnd: [{ command: 'test -f hang && echo $$ >> hang && exec sleep 60; true' }] })
  const source = `
    import { openHooks } from ${JSON.stringify(at('../../../../hooks/src/index.ts'))}
    import { codingTools } from ${JSON.stringify(at('../tools/coding-tools.ts'))}
    import { startAgent } from ${JSON.stringify(at('./agent.ts'))}
    import { scriptedModel } from ${JSON.stringify(at('./scripted-model.ts'))}
    const [workspace, home, way] = process.argv.slice(2)
    if (way === 'waits for a hook') {
      // The second in which a repeated signal counts as the same one is over when the test says so.
      const later = []
      const start = setTimeout
      globalThis.setTimeout = (work, ms, ...rest) => {
        if (ms !== 1_000) return start(work, ms, ...rest)
        later.push(work)
        return { unref() {} }
      }
      process.on('SIGUSR2', () => {
        for (const work of later.splice(0)) work()
        console.log('a second later')
      })
    }
    if (way === 'decided before') process.once('SIGINT', () => setTimeout(() => process.exit(5), 300))
    const hooks = await openHooks({
      workspaceRoots: [workspace], home, enterpriseDir: home + '/none', trustAll: true, watch: false,
    })
    const command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.2; done"
    const model = scriptedModel([{ calls: [{ tool: 'Shell', input: { command } }] }])
    const agent = await startAgent({ hooks, model, workspace, tools: codingTools({ workspace }) })
    const ready = () => console.log('ready')
    const wait = () => { setInterval(() => {}, 1000); ready() }
    const work = () => void agent.send('Go', { onPart: part => { if (part.type === 'tool-call') ready() } })
    const ways = {
      drains: () => {},
      throws: () => { setTimeout(() => { throw new Error('nobody caught this') }) },
      rejects: () => { Promise.reject(new Error('nobody caught this')) },
      'throws at work': () => {
        work()
        process.once('SIGUSR2', () => { throw new Error('nobody caught this') })
      },
      'catches what is thrown': () => {
        process.on('uncaughtException', () => setTimeout(() => process.exit(0), 50))
        throw new Error('somebody caught this')
      },
      exits: () => process.exit(),
      'exits with 3': () => process.exit(3),
      'exits at work': () => { work(); process.once('SIGUSR2', () => process.exit(0)) },
      'exits while it ends': () => { void agent.end('user_close'); process.exit() },
      'exits after its end': () => agent.end('user_close').then(() => process.exit(1)),
      works: work,
      waits: wait,
      'waits for a hook': wait,
      'decided before': wait,
      'decides itself': () => {
        let received = 0
        process.on('SIGINT', () => (++received === 2 ? process.exit(7) : ready()))
        wait()
      },
      // As the package of this name does, which is somewhere below many programs.
      'has signal-exit': () => {
        globalThis[Symbol.for('signal-exit emitter')] = { count: 1 }
        const listener = signal => {
          if (process.listeners(signal).length > 1) return
          process.removeListener(signal, listener)
          console.log('signal-exit received it')
          process.kill(process.pid, signal)
        }
        process.on('SIGTERM', listener)
        wait()
      },
    }
    ways[way]()
  `
  program = join(place.home, 'program.mjs')
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: at('.'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    banner: {
      js: "import { createRequire as requirer } from 'node:module'; const require = requirer(import.meta.url);",
    },
    alias: {
      '@holdfast/hooks/protocol': at('../../../../hooks/src/protocol/index.ts'),
      '@holdfast/hooks': at('../../../../hooks/src/index.ts'),
    },
    external: ['@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
    logLevel: 'error',
  })
  writeFileSync(program, outputFiles[0]!.contents)
}, 60_000)
afterAll(() => place.close())

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise(wait => setTimeout(wait, 20))
}

const start = (way: string) =>
  spawn(process.execPath, [program, place.workspace, place.home, way], { stdio: ['ignore', 'pipe', 'pipe'] })

/** Signals are sent one by one, each after the process reported that it is ready. */
const leave = (way: string, ...signals: NodeJS.Signals[]) =>
  new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>(resolve => {
    const child = start(way)
    let stdout = ''
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    child.stdout.on('data', async chunk => {
      stdout += chunk
      if (!String(chunk).includes('ready')) return
      // At work: the command runs.
      if (way.includes('work')) await until(() => place.has('pid') && place.read('pid').endsWith('\n'))
      const signal = signals.shift()
      if (signal) child.kill(signal)
    })
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })

const nobody = { reason: 'error', error_message: 'nobody caught this' }
const aborted = { reason: 'aborted' }

describe('a session is ended, once, by a process that', () => {
  it.each([
    ['drains', [], { reason: 'completed' }, { code: 0, signal: null }],
    ['throws', [], nobody, { code: 1, signal: null }],
    ['rejects', [], nobody, { code: 1, signal: null }],
    ['throws at work', ['SIGUSR2'], nobody, { code: 1, signal: null }],
    ['catches what is thrown', [], { reason: 'completed' }, { code: 0, signal: null }],
    ['exits', [], { reason: 'completed' }, { code: 0, signal: null }],
    [
      'exits with 3',
      [],
      { reason: 'error', error_message: 'The process exited with code 3.' },
      { code: 3, signal: null },
    ],
    ['exits at work', ['SIGUSR2'], aborted, { code: 0, signal: null }],
    ['exits while it ends', [], { reason: 'user_close' }, { code: 0, signal: null }],
    ['exits after its end', [], { reason: 'user_close' }, { code: 1, signal: null }],
    ['waits', ['SIGTERM'], aborted, { code: null, signal: 'SIGTERM' }],
    ['waits', ['SIGINT'], aborted, { code: null, signal: 'SIGINT' }],
    ['works', ['SIGHUP'], aborted, { code: null, signal: 'SIGHUP' }],
    [
      'decides itself',
      ['SIGINT', 'SIGINT'],
      { reason: 'error', error_message: 'The process exited with code 7.' },
      { code: 7, signal: null },
    ],
    [
      'decided before',
      ['SIGINT'],
      { reason: 'error', error_message: 'The process exited with code 5.' },
      { code: 5, signal: null },
    ],
    ['has signal-exit', ['SIGTERM'], aborted, { code: null, signal: 'SIGTERM' }],
  ] as const)('%s %j', async (way, signals, told, left) => {
    const before = place.audited().length
    const { stdout, stderr, ...ended } = await leave(way, ...signals)
    expect(ended).toEqual(left)
    const events = place.audited().slice(before)
    expect(events.filter(({ hook_event_name }) => hook_event_name === 'sessionEnd')).toMatchObject([told])
    const last = events.at(-1)!
    expect(last.hook_event_name).toBe('sessionEnd')
    expect(last.conversation_id).toBe(events[0]!.conversation_id)
    if (way === 'works') {
      expect(events.slice(-3).map(({ hook_event_name }) => hook_event_name)).toEqual([
        'postToolUseFailure',
        'stop',
        'sessionEnd',
      ])
    }
    // As Node itself says it, with the place.
    expect(stderr.includes('nobody caught this')).toBe(left.code === 1 && way !== 'exits after its end')
    expect(stdout.includes('signal-exit received it')).toBe(way === 'has signal-exit')
  })
})

describe('nothing is left running by a process that', () => {
  it.each([
    ['works', ['SIGTERM']],
    ['exits at work', ['SIGUSR2']],
  ] as const)('%s', async (way, signals) => {
    await leave(way, ...signals)
    const pid = Number(place.read('pid'))
    await until(() => !isAlive(pid))
  })
})

describe('a person who has waited long enough for hooks', () => {
  const hangingHooks = () => place.read('hang').split('\n').filter(Boolean).map(Number)

  afterEach(() => {
    // Hooks of a process that was killed go on alone.
    for (const pid of hangingHooks()) process.kill(pid)
    rmSync(join(place.workspace, 'hang'))
  })

  it.each(['waits for a hook', 'exits'])(
    'ends a process that %s with another signal',
    async way => {
      place.write('hang', '')
      const before = place.audited().length
      const child = start(way)
      const closed = once(child, 'close')
      const ending = () =>
        place.audited().slice(before).at(-1)?.hook_event_name === 'sessionEnd' && hangingHooks().length > 0
      if (way !== 'exits') {
        await once(child.stdout, 'data')
        child.kill('SIGINT')
      }
      await until(ending)
      if (way !== 'exits') {
        // The same Ctrl-C once more, as npm passes it on.
        child.kill('SIGINT')
        child.kill('SIGUSR2')
        expect(String((await once(child.stdout, 'data'))[0])).toBe('a second later\n')
      }
      child.kill('SIGINT')
      expect(await closed).toEqual([null, 'SIGINT'])
      // Not because the hook had ended.
      expect(hangingHooks().map(isAlive)).toEqual([true])
    },
    20_000,
  )
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
