// The exports of the packages. A change here affects every user: make it deliberately, and mention it in
// CHANGELOG.md.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

interface Manifest {
  exports?: Record<string, unknown>
  bin?: Record<string, string>
}

const manifest = (name: string) =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest

/** The names in the export lists of a file; types are marked. */
function exportedNames(text: string): string[] {
  const lists = text.matchAll(/^export (type )?\{([^}]*)\}/gm)
  return [...lists].flatMap(([, isType, names = '']) =>
    names
      .split(',')
      .map(name => name.trim())
      .filter(Boolean)
      .map(name => (isType ? `type ${name}` : name))
      .map(name => name.replace(/(type )?.* as (\w+)$/, '$1$2')),
  )
}

const exportsOf = (path: string) => exportedNames(readFileSync(join(root, path), 'utf8')).sort()

describe('entry points', () => {
  it('of @holdfast/hooks', () => {
    expect(Object.keys(manifest('hooks').exports ?? {})).toEqual([
      '.',
      './protocol',
      './sdk',
      './testing',
      './bridges',
      './team',
      './otel',
      './schema/*',
      './package.json',
    ])
  })

  it('of @holdfast/hosts', () =>
    expect(Object.keys(manifest('hosts').exports ?? {})).toEqual([
      './ai-sdk',
      './mcp',
      './team',
      './package.json',
    ]))

  it('of the command', () => {
    expect(manifest('cli').exports).toBeUndefined()
    expect(manifest('cli').bin).toEqual({ holdfast: './bin/holdfast.cjs' })
  })
})

describe('the file of an entry point', () => {
  const targets = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets)
  const doors = ['hooks', 'hosts', 'cli'].flatMap(name => {
    const { exports = {}, bin = {} } = manifest(name)
    return targets({ exports, bin }).map(target => join('packages', name, target))
  })

  it.each(doors)('%s is there', path => {
    const folder = path.replace(/\*.*$/, '')
    expect(
      existsSync(join(root, folder)),
      `${path} is not there: run \`npm run build\`, or correct the path`,
    ).toBe(true)
  })
})

describe('names', () => {
  it('exported by @holdfast/hooks/sdk', () => {
    expect(exportsOf('packages/hooks/src/sdk/index.ts')).toMatchInlineSnapshot(`
      [
        "allow",
        "appendAudit",
        "ask",
        "commandOf",
        "context",
        "conversationState",
        "deny",
        "env",
        "filePathOf",
        "followup",
        "hook",
        "isInsideWorkspace",
        "mcpInput",
        "notice",
        "plugins",
        "reword",
        "rewrite",
        "runCommand",
        "type CommandOptions",
        "type CommandResult",
        "type ConversationState",
        "type EventName",
        "type Handler",
        "type HandlerResult",
        "type Handlers",
        "type HookOptions",
        "type HookProgram",
        "type HookResponse",
        "type OnError",
        "type Payload",
        "type ProgramResult",
        "type ResponseKind",
        "type ResponseKindOf",
        "urlOf",
        "workspacePath",
      ]
    `)
  })

  it('exported by @holdfast/hooks', () => {
    expect(exportsOf('packages/hooks/src/index.ts')).toMatchInlineSnapshot(`
      [
        "CANNOT_ASK",
        "HookBlockedError",
        "HooksError",
        "SESSION_FIELDS",
        "countedRuns",
        "decisionOf",
        "discover",
        "fileTrustStore",
        "inspectFile",
        "isAsking",
        "isBlocked",
        "isFound",
        "memoryTrustStore",
        "mergeFields",
        "nearest",
        "openHooks",
        "quote",
        "readExit",
        "readText",
        "shellWord",
        "sortIssues",
        "type AskQuestion",
        "type CommandHook",
        "type DiscoverOptions",
        "type EvaluatePrompt",
        "type EventFields",
        "type EventName",
        "type EventObserver",
        "type Explanation",
        "type FireOptions",
        "type FunctionHook",
        "type GivenHook",
        "type Guarded",
        "type HookResult",
        "type HookStatus",
        "type Hooks",
        "type HostOptions",
        "type HttpHook",
        "type LastRun",
        "type OnAsk",
        "type OnEvent",
        "type OnVerdict",
        "type Payload",
        "type PromptHook",
        "type PromptQuestion",
        "type PromptReply",
        "type RedactOptions",
        "type Refusal",
        "type ResponseFields",
        "type RunRecord",
        "type Session",
        "type SessionMemory",
        "type SessionOptions",
        "type ShownHook",
        "type StartCommand",
        "type StartOptions",
        "type StartedCommand",
        "type StartedEvent",
        "type TrustStore",
        "type Verdict",
      ]
    `)
  })

  it('exported by @holdfast/hooks/protocol', () => {
    expect(exportsOf('packages/hooks/src/protocol/index.ts')).toMatchInlineSnapshot(`
      [
        "CODES",
        "DECISION_WORDS",
        "ENTRY_FIELDS",
        "EVENTS",
        "EVENT_NAMES",
        "EVENT_SPECS",
        "PROFILES",
        "PROFILE_NAMES",
        "RESPONSE_ALIASES",
        "RESPONSE_FIELDS",
        "SOURCES",
        "STRICTNESS",
        "VERSIONS",
        "acceptFields",
        "eventsUnder",
        "findEvent",
        "findProfile",
        "inVersion",
        "isAsking",
        "isBlocked",
        "parseJson",
        "payloadSchema",
        "samplePayload",
        "type AnyFields",
        "type Catalog",
        "type Code",
        "type CodeRow",
        "type Decision",
        "type Denial",
        "type Dialect",
        "type EntryField",
        "type ErrorCode",
        "type EvaluatePrompt",
        "type Event",
        "type EventFields",
        "type EventName",
        "type EventRow",
        "type EventSpec",
        "type Exit",
        "type Explanation",
        "type Failure",
        "type FailureCode",
        "type FieldProblem",
        "type HookDefinition",
        "type HookFunction",
        "type HookType",
        "type Issue",
        "type IssueCode",
        "type Layer",
        "type Managed",
        "type Matcher",
        "type MergeRule",
        "type Mode",
        "type Note",
        "type NoteCode",
        "type Observed",
        "type Outcome",
        "type Overruled",
        "type Payload",
        "type PayloadChange",
        "type Permission",
        "type Plan",
        "type Planned",
        "type Profile",
        "type ProfileName",
        "type PromptQuestion",
        "type PromptReply",
        "type Response",
        "type ResponseField",
        "type ResponseFieldName",
        "type Rewrite",
        "type RowChange",
        "type Run",
        "type Script",
        "type SkipReason",
        "type Skipped",
        "type Source",
        "type SourceKind",
        "type Subject",
        "type Team",
        "type Trace",
        "type Verdict",
        "type Version",
        "updatesOf",
        "withTimeLimit",
        "writeJson",
      ]
    `)
  })

  it('exported by @holdfast/hooks/testing', () => {
    expect(exportsOf('packages/hooks/src/testing/index.ts')).toMatchInlineSnapshot(`
      [
        "EXPECTATION_NAMES",
        "EXPECTED_FAILURES",
        "EXPECTED_VERDICTS",
        "compare",
        "completePayload",
        "decisionOf",
        "describeDecision",
        "describeDifference",
        "describeText",
        "given",
        "hooksJson",
        "isFailed",
        "matchesText",
        "payloads",
        "sample",
        "script",
        "type Arbitrary",
        "type Case",
        "type CaseOptions",
        "type CasePayload",
        "type Decision",
        "type ExpectationName",
        "type Expected",
        "type ExpectedFailure",
        "type ExpectedVerdict",
        "type FastCheck",
        "type Given",
        "type Handler",
        "type HooksJson",
        "type Mismatch",
        "type Observation",
        "type Program",
        "type Result",
        "type Script",
        "type ScriptEntry",
        "type Target",
        "type Text",
      ]
    `)
  })

  it('exported by @holdfast/hooks/bridges', () => {
    expect(exportsOf('packages/hooks/src/bridges/index.ts')).toMatchInlineSnapshot(`
      [
        "BRIDGES",
        "BRIDGE_LIMIT_SECONDS",
        "ENTRY_LIMIT_SECONDS",
        "GATES",
        "createStates",
        "findBridge",
        "findChangedGuards",
        "managedPath",
        "neededEvents",
        "noteOnEvidence",
        "runBridge",
        "splitCommand",
        "statesFolder",
        "type AgentEvent",
        "type Bridge",
        "type BridgeCall",
        "type BridgeResponse",
        "type BridgeSettings",
        "type ChangedGuards",
        "type Commands",
        "type Config",
        "type Conversation",
        "type EntryCall",
        "type EventKind",
        "type Names",
        "type OffSwitch",
        "type OwnFile",
        "type SimpleCommand",
        "type Step",
        "type StepsResult",
        "type ToolRow",
        "type Word",
      ]
    `)
  })

  it('exported by @holdfast/hosts/ai-sdk', () => {
    expect(exportsOf('packages/hosts/src/ai-sdk/index.ts')).toMatchInlineSnapshot(`
      [
        "TOOL_EVENTS",
        "ToolCallError",
        "ToolTimeoutError",
        "codingTools",
        "hookTools",
        "hooksMiddleware",
        "mcpEvents",
        "mcpTools",
        "openModel",
        "openTab",
        "promptEvaluator",
        "scriptedModel",
        "startAgent",
        "type Agent",
        "type AgentOptions",
        "type ApprovalQuestion",
        "type Approve",
        "type Change",
        "type CodingToolsOptions",
        "type CompactionOptions",
        "type Done",
        "type EndReason",
        "type HookToolsOptions",
        "type HookedAgent",
        "type HookedOptions",
        "type LoopSubagent",
        "type McpServerInfo",
        "type McpTools",
        "type McpToolsOptions",
        "type Model",
        "type ModelSettings",
        "type Part",
        "type PreparedOptions",
        "type PromptEvaluatorOptions",
        "type ScriptedCall",
        "type ScriptedLine",
        "type ScriptedModel",
        "type SendOptions",
        "type Speaker",
        "type SubagentOptions",
        "type Tab",
        "type TabRead",
        "type Told",
        "type ToolCall",
        "type ToolEvents",
        "type Turn",
        "withAgent",
        "withChanges",
        "withHooks",
      ]
    `)
  })

  it.each(['index.ts', 'protocol/index.ts', 'sdk/index.ts', 'testing/index.ts', 'bridges/index.ts'])(
    '%s names each by hand',
    path => {
      const text = readFileSync(join(root, 'packages/hooks/src', path), 'utf8')
      expect(text).not.toMatch(/^export (\*|default|const|function|class|interface|type \w+ =)/m)
    },
  )

  it('are found in every form', () => {
    const text =
      "export type { A, B as C } from './a.js'\nexport { d, e as f } from './b.js'\nexport { openIt }\n"
    expect(exportedNames(text)).toEqual(['type A', 'type C', 'd', 'f', 'openIt'])
  })
})
