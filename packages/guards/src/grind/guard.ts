// Keeps the agent working until the tests pass: when it stops, the tests run, and the failures become its next message.

import { spawn } from 'node:child_process'
import { type Guard, type Judgement, NOTHING } from '../guard.js'
import { npmTest } from './tests.js'

export const grind: Guard = {
  name: 'grind',
  summary: 'runs the tests when the agent stops, and sends it the failures',
  options: {
    command: { type: 'text', about: 'the command; without it, the test script of package.json', default: '' },
    seconds: { type: 'number', about: 'the time limit of the tests', default: 300 },
    rounds: { type: 'number', about: 'how often in a row', default: 5 },
  },
  alternatives: {},
  async judge(payload, options, place): Promise<Judgement> {
    // A turn that the user stopped or that failed is not continued.
    if (payload.status !== 'completed') return NOTHING
    const command =
      typeof options.command === 'string' && options.command !== '' ? options.command : npmTest(place.root)
    const rounds = typeof options.rounds === 'number' ? options.rounds : 5
    const count = typeof payload.loop_count === 'number' ? payload.loop_count : 0
    if (!command || count >= rounds) return NOTHING
    const seconds = typeof options.seconds === 'number' ? options.seconds : 300
    const { ending, output } = await run(command, place.root, seconds)
    if (ending === undefined) return NOTHING
    const left = rounds - count - 1
    return {
      findings: [],
      followup: [
        `The tests do not pass yet: ${command} ${ending}.`,
        output === '' ? 'It printed nothing.' : `The end of what it printed:\n\n${output}\n`,
        'Fix the cause, not the test, and stop when it passes.',
        left > 0 ? 'They run again when you stop.' : 'They do not run again by themselves.',
      ].join('\n'),
    }
  },
}

/** Test runners report failures at the end of their output. */
const LONGEST = 4000
/** A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

function run(
  command: string,
  cwd: string,
  seconds: number,
): Promise<{ ending: string | undefined; output: string }> {
  return new Promise(done => {
    const isWindows = process.platform === 'win32'
    // A group of its own, so that the tests end with everything that they started.
    const child = spawn(
      isWindows ? 'cmd.exe' : 'sh',
      isWindows ? ['/d', '/s', '/c', command] : ['-c', command],
      {
        cwd,
        detached: !isWindows,
        env: { ...process.env, CI: 'true', NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let output = ''
    let isLate = false
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-4 * LONGEST)
      })
    const timer = setTimeout(
      () => {
        isLate = true
        try {
          process.kill(isWindows ? child.pid! : -child.pid!, 'SIGKILL')
        } catch {
          // It has just ended.
        }
      },
      Math.min(seconds * 1000, LONGEST_TIMER),
    )
    const end = (ending: string | undefined) => {
      clearTimeout(timer)
      const plain = output.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').trim()
      const cut = plain.slice(-LONGEST)
      done({ ending, output: plain.length <= LONGEST ? plain : `... ${cut.slice(cut.indexOf('\n') + 1)}` })
    }
    child.once('error', error => end(`could not be started (${error.message})`))
    child.once('close', (code, signal) =>
      end(
        isLate
          ? `was ended after ${seconds} seconds`
          : code === 0
            ? undefined
            : `ended with ${code ?? signal}`,
      ),
    )
  })
}
