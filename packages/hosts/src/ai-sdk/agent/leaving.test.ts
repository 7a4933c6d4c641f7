// A real process that leaves in every way there is, with an agent that nobody ended.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPlace, type Place } from './testing/place.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let place: Place
let program: string
beforeAll(async () => {
  place = openPlace()
  place.audit()
  const source = `
    import { openHooks } from ${JSON.stringify(at('../../../../hooks/src/index.ts'))}
    import { codingTools } from ${JSON.stringify(at('../tools/coding-tools.ts'))}
    import { startAgent } from ${JSON.stringify(at('./agent.ts'))}
    import { scriptedModel } from ${JSON.stringify(at('./scripted-model.ts'))}
    const workspace = process.argv[2]
    const home = process.argv[3]
    const hooks = await openHooks({
      workspaceRoots: [workspace], home, enterpriseDir: home + '/none', trustAll: true, watch: false,
    })
    const model = scriptedModel([{ calls: [{ tool: 'Shell', input: { command: 'sleep 30' } }] }])
    const agent = await startAgent({ hooks, model, workspace, tools: codingTools({ workspace }) })
    const ways = {
      drains: () => {},
      throws: () => { setTimeout(() => { throw new Error('nobody caught this') }) },
      rejects: () => { Promise.reject(new Error('nobody caught this')) },
      works: () => {
        agent.send('Go', { onPart: part => { if (part.type === 'tool-call') console.log('ready') } })
      },
      waits: () => { setInterval(() => {}, 1000); console.log('ready') },
    }
    ways[process.argv[4]]()
  `
  program = join(place.home, 'program.mjs')
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: at('.'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    alias: {
      '@holdfast/hooks/protocol': at('../../../../hooks/src/protocol/index.ts'),
      '@holdfast/hooks': at('../../../../hooks/src/index.ts'),
    },
    external: ['@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
    logLevel: 'error',
  })
  writeFileSync(program, outputFiles[0]!.contents)
})
afterAll(() => place.close())

const leave = (way: string, signal?: NodeJS.Signals) =>
  new Promise<{ code: number | null; signal: string | null; stderr: string }>(resolve => {
    const child = spawn(process.execPath, [program, place.workspace, place.home, way], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    child.stdout.once('data', async () => {
      while (way === 'works' && place.audited().at(-1)?.hook_event_name !== 'beforeShellExecution') {
        await new Promise(wait => setTimeout(wait, 20))
      }
      child.kill(signal)
    })
    child.on('close', (code, ended) => resolve({ code, signal: ended, stderr }))
  })

it.each([
  ['drains', undefined, { reason: 'completed' }, { code: 0, signal: null }],
  ['throws', undefined, { reason: 'error', error_message: 'nobody caught this' }, { code: 1, signal: null }],
  ['rejects', undefined, { reason: 'error', error_message: 'nobody caught this' }, { code: 1, signal: null }],
  ['waits', 'SIGTERM', { reason: 'aborted' }, { code: null, signal: 'SIGTERM' }],
  ['waits', 'SIGINT', { reason: 'aborted' }, { code: null, signal: 'SIGINT' }],
  ['works', 'SIGHUP', { reason: 'aborted' }, { code: null, signal: 'SIGHUP' }],
] as const)('a process that %s (%s) ends its session first', async (way, signal, told, left) => {
  const before = place.audited().length
  const { stderr, ...ended } = await leave(way, signal)
  expect(ended).toEqual(left)
  const events = place.audited().slice(before)
  expect(events.at(-1)).toMatchObject({ hook_event_name: 'sessionEnd', ...told })
  expect(events.filter(({ hook_event_name }) => hook_event_name === 'sessionEnd')).toHaveLength(1)
  if (way === 'works') {
    expect(events.slice(-3).map(({ hook_event_name }) => hook_event_name)).toEqual([
      'postToolUseFailure',
      'stop',
      'sessionEnd',
    ])
  }
  expect(stderr.includes('nobody caught this')).toBe(left.code === 1)
})
