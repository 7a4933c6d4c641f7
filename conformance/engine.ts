// Runs a case on another engine: a program that reads one request on stdin and prints one result. The case is on disk
// as real files and scripts.

import { spawn } from 'node:child_process'
import type { Case, Expectation } from './case.js'
import { differences } from './compare.js'
import { payloadOf, profileOf } from './load.js'
import type { Observation } from './observe.js'
import { writeWorkspace } from './workspace.js'

const TIMEOUT_MS = 60_000

/** Cases that need one event, and nothing of the program around the engine. */
export const isForEngines = (one: Case): boolean =>
  one.only !== 'recorded' &&
  profileOf(one) === 'holdfast' &&
  [one.host, one.before, one.change, one.config].every(part => part === undefined) &&
  one.hooks.every(({ type, source }) => type !== 'prompt' && SOURCES.includes(source ?? 'project'))

const SOURCES: readonly string[] = ['enterprise', 'project', 'user']

/** The differences, one line each. Keys that the engine does not print are not compared, except `proceeds`. */
export async function runEngine(one: Case, [program, ...args]: readonly string[]): Promise<string[]> {
  const workspace = writeWorkspace(one)
  const { project, home, enterprise } = workspace.places
  const payload = payloadOf(one.event, one.payload)
  try {
    const request = { event: one.event, payload, project, home, enterprise }
    const result = await answerOf(program!, args, request, { ...process.env, HOME: home })
    const named = Object.entries(one.expect).filter(
      ([key]) => key === 'proceeds' || Object.hasOwn(result, key),
    )
    const expected = Object.fromEntries(named) as Expectation
    return differences(expected, { hooks: new Map(), ...result } as unknown as Observation, workspace.places)
  } catch (error) {
    return [(error as Error).message]
  } finally {
    workspace.close()
  }
}

function answerOf(
  program: string,
  args: readonly string[],
  request: object,
  env: NodeJS.ProcessEnv,
): Promise<object> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: TIMEOUT_MS })
    let [output, errors] = ['', '']
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (errors += chunk))
    child.stdin.on('error', () => {})
    child.once('error', reject)
    child.once('close', code => {
      try {
        resolve(JSON.parse(output) as object)
      } catch {
        reject(new Error(`The engine ended with code ${code} and printed no JSON. ${output}${errors}`))
      }
    })
    child.stdin.end(JSON.stringify(request))
  })
}
