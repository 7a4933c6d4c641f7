// Every response on every event: it compiles where the row of the table has it, and nowhere else.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { root } from '../architecture/source.js'

type Test = (spec: EventSpec) => boolean

const has =
  (...fields: string[]): Test =>
  spec =>
    fields.some(field => field in spec.answer)

const isNotice: Test = spec => spec.gate === 'none' && has('user_message')(spec)

const ANSWERS: Readonly<Record<string, Test>> = {
  'allow()': ({ gate }) => gate !== 'none',
  "deny('x')": ({ gate }) => gate !== 'none',
  "deny('x', { agent: 'y' })": spec => spec.gate !== 'none' && has('agent_message')(spec),
  "ask('x')": ({ ask }) => ask === 'asks',
  "followup('x')": has('followup_message'),
  "context('x')": has('additional_context'),
  'rewrite({})': has('updated_input', 'updated_mcp_tool_output'),
  "env({ A: 'b' })": has('env'),
  "notice('x')": isNotice,
  "plugins(['/x'])": has('pluginPaths'),
  undefined: () => true,
}

/** Plain objects, which a registered function may return as well. */
const OBJECTS: Readonly<Record<string, Test>> = {
  "({ permission: 'deny' })": has('permission'),
  "({ permission: 'deny', user_message: 'x' })": spec => has('permission')(spec) && has('user_message')(spec),
  "({ permission: 'ask' })": ({ answer }) => accepts(answer.permission, 'ask'),
  '({ continue: false })': has('continue'),
  "({ continue: false, user_message: 'x' })": spec => has('continue')(spec) && has('user_message')(spec),
  "({ user_message: 'x' })": isNotice,
  "({ followup_message: 'x' })": has('followup_message'),
  "({ additional_context: 'x' })": has('additional_context'),
  '({ updated_input: { a: 1 } })': has('updated_input'),
  "({ env: { A: 'b' } })": has('env'),
  '({ env: { A: 1 } })': () => false,
  "({ pluginPaths: ['/x'] })": has('pluginPaths'),
  '({})': () => true,
  null: () => true,
  "({ permision: 'deny' })": () => false,
  // Where nothing can be denied, the compiler treats it as a message with an unknown key.
  "({ permision: 'deny', user_message: 'x' })": isNotice,
  "(Math.random() > 0.5 ? { permision: 'deny', user_message: 'x' } : {})": isNotice,
  "({ permission: 'never' })": () => false,
  "({ decision: 'deny' })": () => false,
  "'deny'": () => false,
  false: () => false,
}

const accepts = (field: EventSpec['answer'][keyof EventSpec['answer']], value: unknown) =>
  field !== undefined && v.is(field.schema, value)

const combinationsOf = (answers: Readonly<Record<string, Test>>) =>
  EVENT_SPECS.flatMap(spec =>
    Object.entries(answers).map(([answer, test]) => ({ event: spec.name, answer, fits: test(spec) })),
  )
const combinations = combinationsOf(ANSWERS)
type Combination = (typeof combinations)[number]

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
        paths: {
          '@holdfast/hooks': [join(root, 'packages/hooks/src/index.ts')],
          '@holdfast/hooks/sdk': [join(root, 'packages/hooks/src/sdk/index.ts')],
        },
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

/** Each combination as one line below the head; the compiler must agree with the table about all of them. */
async function compare(head: string, given: typeof combinations, line: (one: Combination) => string) {
  const wrong = await wrongLines([head, ...given.map(line), ''].join('\n'))
  const surprising = given.filter(({ fits }, i) => fits === wrong.has(i + 2))
  expect(
    surprising.map(({ event, answer, fits }) => `${event}: ${answer} ${fits ? 'fails' : 'compiles'}`),
  ).toEqual([])
  // Both kinds are present, so that the test is not empty.
  expect(wrong.size).toBeGreaterThan(100)
  expect(wrong.size).toBeLessThan(given.length)
}

const SDK = 'allow, ask, context, deny, env, followup, notice, plugins, rewrite'

describe('answers that an event cannot give do not compile', () => {
  it('in a program of the SDK', async () => {
    const head = `import { hook, ${SDK} } from '@holdfast/hooks/sdk'`
    await compare(head, combinations, ({ event, answer }) => `hook({ ${event}: () => ${answer} })`)
  })

  it.each(['', 'async '])('in a registered function: %s', async kind => {
    const head = [
      `import { ${SDK} } from '@holdfast/hooks/sdk'`,
      `declare const hooks: import('@holdfast/hooks').Hooks`,
    ].join(';')
    const all = [...combinations, ...combinationsOf(OBJECTS)]
    await compare(
      head,
      all,
      ({ event, answer }) => `hooks.register({ event: '${event}', run: ${kind}() => ${answer} })`,
    )
  })
})
