// Every answer on every event: it compiles where the row of the table has it, and nowhere else.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { root } from '../architecture/source.js'

type Test = (spec: EventSpec) => boolean

const has =
  (...fields: string[]): Test =>
  spec =>
    fields.some(field => field in spec.answer)

const ANSWERS: Readonly<Record<string, Test>> = {
  'allow()': ({ gate }) => gate !== 'none',
  "deny('x')": ({ gate }) => gate !== 'none',
  "deny('x', { agent: 'y' })": spec => spec.gate !== 'none' && has('agent_message')(spec),
  "ask('x')": ({ ask }) => ask === 'asks',
  "followup('x')": has('followup_message'),
  "context('x')": has('additional_context'),
  'rewrite({})': has('updated_input', 'updated_mcp_tool_output'),
  "env({ A: 'b' })": has('env'),
  "notice('x')": spec => spec.gate === 'none' && has('user_message')(spec),
  "plugins(['/x'])": has('pluginPaths'),
  undefined: () => true,
}

const combinations = EVENT_SPECS.flatMap(spec =>
  Object.entries(ANSWERS).map(([answer, test]) => ({ event: spec.name, answer, fits: test(spec) })),
)

// Inside the repository, where the compiler finds its settings.
const folder = mkdtempSync(join(root, 'node_modules', '.holdfast-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The lines that do not compile. */
async function wrongLines(text: string): Promise<ReadonlySet<number>> {
  writeFileSync(join(folder, 'answers.ts'), text)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: true,
        paths: { '@holdfast/hooks/sdk': [join(root, 'packages/hooks/src/sdk/index.ts')] },
      },
      include: ['answers.ts'],
      exclude: [],
    }),
  )
  const output = await new Promise<string>(resolve => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { maxBuffer: 1e8 }, (_, stdout) =>
      resolve(stdout),
    )
  })
  const lines = [...output.matchAll(/answers\.ts\((\d+),\d+\): error/g)].map(([, line]) => Number(line))
  expect(output.replace(/^(?: |.*answers\.ts\().*$/gm, '').trim()).toBe('')
  return new Set(lines)
}

describe('answers that an event cannot give do not compile', () => {
  it('in all combinations', async () => {
    const head = `import { hook, allow, ask, context, deny, env, followup, notice, plugins, rewrite } from '@holdfast/hooks/sdk'`
    const lines = combinations.map(({ event, answer }) => `hook({ ${event}: () => ${answer} })`)
    const wrong = await wrongLines([head, ...lines, ''].join('\n'))
    const surprising = combinations.filter(({ fits }, i) => fits === wrong.has(i + 2))
    expect(
      surprising.map(({ event, answer, fits }) => `${event}: ${answer} ${fits ? 'fails' : 'compiles'}`),
    ).toEqual([])
    // Both kinds are there, so that the compiler has been asked something.
    expect(wrong.size).toBeGreaterThan(100)
    expect(wrong.size).toBeLessThan(combinations.length)
  })
})
