// Checks which file may import which. The second half gives each rule a violation, so that a rule that no longer
// detects anything is noticed.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cycleRule,
  type Exception,
  engineRule,
  eventNameRule,
  type Finding,
  folderRule,
  nameRule,
  outsideRule,
  packageRule,
  roomRule,
  sqlRule,
  toModule,
} from './rules.js'
import { root, scan, sourceFiles } from './source.js'

/** Files that name an event although they are not the table, each with its reason. */
const NAMED_EVENTS: readonly Exception[] = [
  {
    file: 'packages/hooks/src/engine.ts',
    names: ['sessionStart', 'sessionEnd'],
    reason: 'the life of a session: the engine itself fires these two',
  },
  {
    file: 'packages/cli/src/guards/entries.ts',
    names: [
      'beforeShellExecution',
      'beforeReadFile',
      'beforeMCPExecution',
      'beforeSubmitPrompt',
      'preToolUse',
      'postToolUse',
      'postToolUseFailure',
      'afterFileEdit',
      'sessionStart',
      'sessionEnd',
      'stop',
    ],
    reason: 'the table of guards: the events at which each runs',
  },
  {
    file: 'packages/cli/src/commands/daemon.ts',
    names: ['stop'],
    reason: 'not the event: the command that ends the daemon',
  },
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
    names: [
      'preToolUse',
      'beforeMCPExecution',
      'afterMCPExecution',
      'postToolUse',
      'postToolUseFailure',
      'beforeReadFile',
      'beforeSubmitPrompt',
    ],
    reason: 'a host says what happens: these are the events of MCP tool calls, resources and prompts',
  },
  {
    file: 'packages/hosts/src/ai-sdk/session-hooks.ts',
    names: ['beforeSubmitPrompt'],
    reason: 'a host says what happens: the middleware sees the message of the user',
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
    // Packages that the bundles of the command and of the pages include are needed only to build them.
    const bundled = name === 'cli' || name === 'web' ? devDependencies : {}
    return [name, Object.keys({ ...dependencies, ...bundled, ...peerDependencies })]
  }),
)

const said = (findings: readonly Finding[]) =>
  findings.map(({ file, line, problem }) => `${file}:${line} ${problem}`)

describe('the architecture', () => {
  it('reads the files of every package', () => {
    for (const name of Object.keys(dependencies)) {
      expect(modules.some(module => module.package === name)).toBe(true)
    }
    expect(modules.flatMap(({ scanned }) => scanned.imports).length).toBeGreaterThan(100)
  })

  it('keeps stages apart', () => expect(said(roomRule(modules))).toEqual([]))
  it('lets the outside in where it is needed', () => expect(said(outsideRule(modules))).toEqual([]))
  it('keeps engine.ts behind index.ts', () => expect(said(engineRule(modules))).toEqual([]))
  it('keeps packages in order', () => expect(said(packageRule(modules, dependencies))).toEqual([]))
  it('names files by their content', () => expect(said(nameRule(modules))).toEqual([]))
  it('has no circles', () => expect(said(cycleRule(modules))).toEqual([]))

  it('keeps the SQL of the server in its store', () => expect(said(sqlRule(modules))).toEqual([]))

  // Commands are folders of the cli, and import each other.
  it('has no circles of folders', () =>
    expect(said(folderRule(modules.filter(({ package: name }) => name !== 'cli')))).toEqual([]))

  it('asks the table and not the name of an event', () => {
    const { findings, unused } = eventNameRule(modules, NAMED_EVENTS)
    expect(said(findings)).toEqual([])
    expect(unused.map(({ file, names }) => `${file} no longer names ${names.join(', ')}`)).toEqual([])
  })
})

describe('the rules', () => {
  const at = (path: string, text: string) => [toModule({ path: `packages/${path}`, text })]

  it.each([
    ['one stage in another', 'hooks/src/plan/a.ts', "import { run } from '../run/run.js'"],
    ['a type of another stage', 'hooks/src/plan/a.ts', "import type { Run } from '../run/run.js'"],
    ['another stage re-exported', 'hooks/src/plan/a.ts', "export * from '../decide/decide.js'"],
    [
      'a stage that imports the files above',
      'hooks/src/run/a.ts',
      "import { HooksError } from '../errors.js'",
    ],
    ['protocol that imports a stage', 'hooks/src/protocol/a.ts', "import { plan } from '../plan/plan.js'"],
    ['a bridge that imports from a stage', 'hooks/src/bridges/a.ts', "import { run } from '../run/run.js'"],
    [
      'team verification that imports a stage',
      'hooks/src/team/a.ts',
      "import { x } from '../discover/file.js'",
    ],
    ['config that imports a stage', 'hooks/src/config/a.ts', "import { x } from '../discover/hook.js'"],
    ['config that imports team', 'hooks/src/config/a.ts', "import { x } from '../team/load.js'"],
    ['a stage that reads team folders itself', 'hooks/src/run/a.ts', "import { x } from '../team/verify.js'"],
    ['a stage that imports a bridge', 'hooks/src/run/a.ts', "import { codex } from '../bridges/codex.js'"],
    ['an import inside a call', 'hooks/src/plan/a.ts', "const x = await import('../run/run.js')"],
  ])('stages: %s', (_, path, text) => expect(roomRule(at(path, text))).toHaveLength(1))

  it.each([
    ['a process outside of run', 'hooks/src/discover/a.ts', "import { spawn } from 'node:child_process'"],
    ['a network in the engine', 'hooks/src/run/a.ts', "import net from 'node:net'"],
    ['node in protocol', 'hooks/src/protocol/a.ts', "import { join } from 'node:path'"],
    ['node in decide', 'hooks/src/decide/a.ts', "import { readFileSync } from 'node:fs'"],
    ['node without its prefix', 'hooks/src/run/a.ts', "import fs from 'fs'"],
    ['a parser in plan', 'hooks/src/plan/a.ts', "import { parse } from 'jsonc-parser'"],
    ['valibot in engine.ts', 'hooks/src/engine.ts', "import * as v from 'valibot'"],
    ['a stage without a rule', 'hooks/src/attic/a.ts', "import 'valibot'"],
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
    ['a query', "db.selectFrom('devices').execute()"],
    ['a query in a template', "`${tx.deleteFrom('pins').compile().sql}`"],
    ['the client of a database', "import pg from 'pg'"],
    ['a type of the client', "import type { Kysely } from 'kysely'"],
  ])('SQL outside the store: %s', (_, text) => {
    expect(sqlRule(at('server/src/audit/a.ts', text))).toHaveLength(1)
    expect(sqlRule(at('server/src/a.ts', text))).toHaveLength(1)
    expect(sqlRule(at('server/src/store/a.ts', text))).toEqual([])
    expect(sqlRule(at('server/src/audit/a.ts', `// ${text}`))).toEqual([])
  })

  it('circles of folders', () => {
    const circle = [
      ...at('server/src/audit/a.ts', "import './b.js'; import '../people/a.js'"),
      ...at('server/src/people/a.ts', "import type { C } from '../rollout/c.js'"),
      ...at('server/src/rollout/c.ts', "import { a } from '../audit/b.js'"),
    ]
    expect(folderRule(circle).map(({ problem }) => problem)).toEqual([
      'server/audit → server/people, which imports it in turn',
      'server/people → server/rollout, which imports it in turn',
      'server/rollout → server/audit, which imports it in turn',
    ])
    expect(folderRule(circle.slice(0, 2))).toEqual([])
    const ofTests = at('server/src/rollout/c.test.ts', "import { a } from '../audit/b.js'")
    expect(folderRule([...circle.slice(0, 2), ...ofTests])).toEqual([])
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

describe('the scripts that install the packages', () => {
  const scripts = readdirSync(join(root, 'scripts')).filter(name => name.endsWith('.mjs'))
  const readScript = (path: string) => readFileSync(path, 'utf8')
  const installing = scripts.filter(name => /await install\(\)/.test(readScript(join(root, 'scripts', name))))

  /** The packages that a script loads before its first statement, through other scripts too. */
  function packagesLoadedBy(path: string, seen = new Set<string>()): string[] {
    if (seen.has(path)) return []
    seen.add(path)
    return [
      ...readScript(path).matchAll(/^(?:import|export)\s(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/gm),
    ].flatMap(([, name = '']) =>
      name.startsWith('.')
        ? packagesLoadedBy(join(path, '..', name), seen)
        : name.startsWith('node:')
          ? []
          : [name],
    )
  }

  it('load no package before they have installed it', () => {
    expect(installing).toContain('test.mjs')
    expect(installing).toContain('start.mjs')
    expect(
      installing.flatMap(name =>
        packagesLoadedBy(join(root, 'scripts', name)).map(found => `scripts/${name} → ${found}`),
      ),
    ).toEqual([])
  })
})

describe('a change that goes through all layers', () => {
  const filesNaming = (word: string, folders: readonly string[]) =>
    folders
      .flatMap(folder =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile() && /(?<!\.test)\.(ts|proto)$/.test(entry.name))
          .map(entry => join(entry.parentPath, entry.name)),
      )
      .filter(path => !/\/(gen|testing)\//.test(path))
      .filter(path => new RegExp(`\\b${word}\\b`).test(readFileSync(path, 'utf8')))
      .map(path => relative(root, path).replaceAll('\\', '/'))

  // The others that name a column have a rule for it, such as a filter or a gap.
  it.each(['conversation_id', 'observed', 'revision'])(
    'stores and shows the column %s by 4 edits',
    column => {
      const server = 'packages/server/src'
      const inBetween = [`${server}/store/writer`, `${server}/push`, `${server}/http`]
      expect(filesNaming(column, inBetween)).toEqual([])
      for (const path of ['audit/search.ts', 'audit/export.ts', 'records/batch.ts', 'rpc/audit.ts'])
        expect(readFileSync(join(root, server, path), 'utf8'), path).not.toMatch(
          new RegExp(`\\b${column}\\b`),
        )
      const places = filesNaming(column, [`${server}/store`, `${server}/records`, 'packages/team/proto'])
      expect(places).toEqual(
        expect.arrayContaining([
          `${server}/records/record.ts`,
          `${server}/store/migrations.ts`,
          `${server}/records/read-record.ts`,
          'packages/team/proto/holdfast/team/v1/audit.proto',
        ]),
      )
    },
  )

  it('takes a field of a hook from the API to the engine by 4 edits', () => {
    const folders = [
      'packages/server/src',
      'packages/team/src',
      'packages/team/proto',
      'packages/hooks/src/team',
    ]
    expect(filesNaming('loop_limit', folders).sort()).toEqual([
      'packages/hooks/src/team/manifest.ts',
      'packages/hooks/src/team/release.ts',
      'packages/server/src/hooks/content.ts',
      'packages/team/proto/holdfast/team/v1/device.proto',
    ])
  })
})
