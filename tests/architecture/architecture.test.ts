// Holds the arrows of the house: what each file may know. The second half feeds each rule something wrong, so that a
// rule that has gone blind is noticed.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cycleRule,
  type Exception,
  engineRule,
  eventNameRule,
  type Finding,
  nameRule,
  outsideRule,
  packageRule,
  roomRule,
  toModule,
} from './rules.js'
import { root, scan, sourceFiles } from './source.js'

/** Places that name an event although they are not the table, each with its reason. */
const NAMED_EVENTS: readonly Exception[] = [
  {
    file: 'packages/hooks/src/engine.ts',
    names: ['sessionStart', 'sessionEnd'],
    reason: 'the life of a session: the engine itself fires these two',
  },
  {
    file: 'packages/cli/src/guards/add.ts',
    names: ['beforeShellExecution'],
    reason: 'the entry of the shell guard is for this event',
  },
  ...['machine', 'services'].map(name => ({
    file: `packages/guards/src/shell/rules/${name}.ts`,
    names: ['stop'] as const,
    reason: 'not the event: a word of other programs',
  })),
  {
    file: 'packages/hooks/src/session.ts',
    names: ['sessionEnd'],
    reason: 'the type of what a host may say when it ends a session',
  },
  {
    file: 'packages/hooks/src/enforce/enforce.ts',
    names: ['stop'],
    reason: 'not the event: the outcome that stops the action',
  },
  {
    file: 'packages/hosts/src/mcp/call.ts',
    names: ['preToolUse', 'beforeMCPExecution', 'afterMCPExecution', 'postToolUse', 'postToolUseFailure'],
    reason: 'a host says what happens: these are the events of an MCP tool call',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/tool-events.ts',
    names: [
      'beforeShellExecution',
      'afterShellExecution',
      'beforeReadFile',
      'afterFileEdit',
      'subagentStart',
      'beforeMCPExecution',
      'afterMCPExecution',
    ],
    reason: "the host's own table: which events belong to which tool",
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/tool-call.ts',
    names: ['preToolUse', 'postToolUse', 'postToolUseFailure'],
    reason: 'a host says what happens: these are the events of every tool call',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/hooked-tool.ts',
    names: ['postToolUseFailure'],
    reason: 'a host says what happens: a call that never came to a tool',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/hooked-model.ts',
    names: ['afterAgentThought', 'afterAgentResponse'],
    reason: 'a host says what happens: what a model says',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/turn.ts',
    names: ['beforeSubmitPrompt', 'stop'],
    reason: 'a host says what happens: the beginning and the end of a turn',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/subagent.ts',
    names: ['subagentStop'],
    reason: 'a host says what happens: the end of a subagent',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/compaction.ts',
    names: ['preCompact'],
    reason: 'a host says what happens: the conversation is shortened',
  },
  {
    file: 'packages/hosts/src/ai-sdk/tab/tab.ts',
    names: ['beforeTabFileRead', 'afterTabFileEdit'],
    reason: 'a host says what happens: the events of inline completion',
  },
  {
    file: 'packages/hosts/src/ai-sdk/agent/scripted-model.ts',
    names: ['stop'],
    reason: 'not the event: the reason why a model finished, as the AI SDK spells it',
  },
]

const modules = sourceFiles().map(toModule)

const dependencies = Object.fromEntries(
  readdirSync(join(root, 'packages')).map(name => {
    const text = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(text) as Record<string, object>
    // What the bundles of the command and of the pages take in is needed only to build them.
    const bundled = name === 'cli' || name === 'web' ? devDependencies : {}
    return [name, Object.keys({ ...dependencies, ...bundled, ...peerDependencies })]
  }),
)

const said = (findings: readonly Finding[]) =>
  findings.map(({ file, line, problem }) => `${file}:${line} ${problem}`)

describe('the house', () => {
  it('reads the files of every package', () => {
    for (const name of Object.keys(dependencies)) {
      expect(modules.some(module => module.package === name)).toBe(true)
    }
    expect(modules.flatMap(({ scanned }) => scanned.imports).length).toBeGreaterThan(100)
  })

  it('keeps rooms apart', () => expect(said(roomRule(modules))).toEqual([]))
  it('lets the outside in where it is needed', () => expect(said(outsideRule(modules))).toEqual([]))
  it('keeps engine.ts behind index.ts', () => expect(said(engineRule(modules))).toEqual([]))
  it('keeps packages in order', () => expect(said(packageRule(modules, dependencies))).toEqual([]))
  it('names files by their content', () => expect(said(nameRule(modules))).toEqual([]))
  it('has no circles', () => expect(said(cycleRule(modules))).toEqual([]))

  it('asks the table and not the name of an event', () => {
    const { findings, unused } = eventNameRule(modules, NAMED_EVENTS)
    expect(said(findings)).toEqual([])
    expect(unused.map(({ file, names }) => `${file} no longer names ${names.join(', ')}`)).toEqual([])
  })
})

describe('the rules', () => {
  const at = (path: string, text: string) => [toModule({ path: `packages/${path}`, text })]

  it.each([
    ['one room in another', 'hooks/src/plan/a.ts', "import { run } from '../run/run.js'"],
    ['a type of another room', 'hooks/src/plan/a.ts', "import type { Run } from '../run/run.js'"],
    ['another room handed on', 'hooks/src/plan/a.ts', "export * from '../decide/decide.js'"],
    ['a room that knows the files above', 'hooks/src/run/a.ts', "import { HooksError } from '../errors.js'"],
    ['protocol that knows a room', 'hooks/src/protocol/a.ts', "import { plan } from '../plan/plan.js'"],
    ['a bridge that reaches into a room', 'hooks/src/bridges/a.ts', "import { run } from '../run/run.js'"],
    ['team verification that knows a room', 'hooks/src/team/a.ts', "import { x } from '../discover/file.js'"],
    ['config that imports a stage', 'hooks/src/config/a.ts', "import { x } from '../discover/hook.js'"],
    ['config that imports team', 'hooks/src/config/a.ts', "import { x } from '../team/load.js'"],
    ['a room that reads team folders itself', 'hooks/src/run/a.ts', "import { x } from '../team/verify.js'"],
    ['a room that knows a bridge', 'hooks/src/run/a.ts', "import { codex } from '../bridges/codex.js'"],
    ['an import inside a call', 'hooks/src/plan/a.ts', "const x = await import('../run/run.js')"],
  ])('rooms: %s', (_, path, text) => expect(roomRule(at(path, text))).toHaveLength(1))

  it.each([
    ['a process outside of run', 'hooks/src/discover/a.ts', "import { spawn } from 'node:child_process'"],
    ['a network in the engine', 'hooks/src/run/a.ts', "import net from 'node:net'"],
    ['node in protocol', 'hooks/src/protocol/a.ts', "import { join } from 'node:path'"],
    ['node in decide', 'hooks/src/decide/a.ts', "import { readFileSync } from 'node:fs'"],
    ['node without its prefix', 'hooks/src/run/a.ts', "import fs from 'fs'"],
    ['a parser in plan', 'hooks/src/plan/a.ts', "import { parse } from 'jsonc-parser'"],
    ['valibot in engine.ts', 'hooks/src/engine.ts', "import * as v from 'valibot'"],
    ['a room without a rule', 'hooks/src/attic/a.ts', "import 'valibot'"],
  ])('outside: %s', (_, path, text) => expect(outsideRule(at(path, text))).toHaveLength(1))

  it('engine.ts from elsewhere', () => {
    const text = "import { openHooks } from './engine.js'"
    expect(engineRule(at('hooks/src/host.ts', text))).toHaveLength(1)
    expect(engineRule(at('hooks/src/index.ts', text))).toHaveLength(0)
  })

  it.each([
    ['hooks that know hosts', 'hooks/src/a.ts', "import '@holdfast/hosts/ai-sdk'"],
    ['hosts that know the command', 'hosts/src/a.ts', "import 'holdfast'"],
    ['hosts that reach into hooks', 'hosts/src/a.ts', "import '../../hooks/src/engine.js'"],
    ['a command that loads hosts at once', 'cli/src/a.ts', "import { x } from '@holdfast/hosts/ai-sdk'"],
    ['a package that nobody declared', 'cli/src/a.ts', "import chalk from 'chalk'"],
  ])('packages: %s', (_, path, text) => expect(packageRule(at(path, text), dependencies)).toHaveLength(1))

  it('packages: a command that loads hosts when it needs them', () => {
    const text = "const { x } = await import('@holdfast/hosts/ai-sdk')"
    expect(packageRule(at('cli/src/a.ts', text), dependencies)).toEqual([])
  })

  it.each(['hooks/src/utils.ts', 'hooks/src/run/helpers.ts', 'cli/src/common/a.ts'])('names: %s', path =>
    expect(nameRule(at(path, ''))).toHaveLength(1),
  )

  it('circles', () => {
    const circle = [
      ...at('hooks/src/run/a.ts', "import './b.js'"),
      ...at('hooks/src/run/b.ts', "import { type C } from './c.js'"),
      ...at('hooks/src/run/c.ts', "export { a } from './a.js'"),
    ]
    expect(said(cycleRule(circle))).toEqual([
      'packages/hooks/src/run/a.ts:1 imports in a circle: a.ts → b.ts → c.ts → a.ts',
    ])
    expect(cycleRule(circle.slice(0, 2))).toEqual([])
    const backAsType = at('hooks/src/run/c.ts', "import type { A } from './a.js'")
    expect(cycleRule([...circle.slice(0, 2), ...backAsType])).toEqual([])
  })

  it.each([
    ["if (spec.name === 'preToolUse') deny()", 1],
    ['const LIMITS = { subagentStop: 5 }', 1],
    ["// unlike 'preToolUse', this one …", 0],
    ["say('Only stop and subagentStop count follow-ups.')", 0],
    ["if (kind === 'stop') return", 1],
    ['timer.stop()', 0],
  ])('event names: %s', (text, count) =>
    expect(eventNameRule(at('hooks/src/run/a.ts', text), []).findings).toHaveLength(count),
  )

  it('event names: an exception that nobody needs any more', () => {
    const exception = { file: 'packages/hooks/src/run/a.ts', names: ['stop'], reason: '' }
    expect(eventNameRule(at('hooks/src/run/a.ts', "f('stop')"), [exception])).toEqual({
      findings: [],
      unused: [],
    })
    expect(eventNameRule(at('hooks/src/run/a.ts', ''), [exception]).unused).toEqual([exception])
  })
})

describe('scan', () => {
  it('finds imports of every form', () => {
    const text = [
      "import a, { b } from 'a'",
      "import 'b'",
      "export * as c from 'c'",
      'import {',
      '  d,',
      '} from "d"',
      "const e = await import('e')",
      "// import 'no'",
      "/* import 'no' */",
      "const text = `import 'no' ${f('no')} and ${`${from}`}`",
      "const pattern = /import 'no'/",
      "const half = 1 / 2 // '",
      "import { last } from 'last'",
    ].join('\n')
    expect(scan(text).imports.map(({ value, line, isDynamic }) => `${line} ${value} ${isDynamic}`)).toEqual([
      '1 a false',
      '2 b false',
      '3 c false',
      '6 d false',
      '7 e true',
      '13 last false',
    ])
  })
})
