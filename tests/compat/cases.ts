// For each kind of finding an example: hooks, an event, and the part of the verdict to compare.

import type { FindingKind } from '../../packages/cli/src/compat/judge.js'
import type { EventName, ProfileName, Verdict } from '../../packages/hooks/src/protocol/index.js'

type Seen = string | boolean | number | null | undefined

export interface Proof {
  readonly kind: FindingKind
  readonly what: string
  /** By source, in the order of its file. A text is the script; without `entry`, the entry only names the script. */
  readonly hooks: readonly {
    readonly source: 'enterprise' | 'project' | 'user'
    readonly script: string
    readonly entry?: Readonly<Record<string, unknown>>
  }[]
  /** The hook that the finding is about (default: the first). */
  readonly about?: number
  readonly event: EventName
  readonly fields?: Readonly<Record<string, unknown>>
  /** The intended effect of the hook on the verdict. */
  readonly seen: (verdict: Verdict) => Seen
  /** The effect in versions without the finding. */
  readonly wanted: Seen
  /** It occurs in no version: such hooks work everywhere. */
  readonly nowhere?: true
  /** Versions in which something else interferes. */
  readonly except?: readonly ProfileName[]
}

const sh = (...lines: string[]) => ['#!/bin/sh', ...lines, ''].join('\n')
const says = (answer: unknown) => sh('cat > /dev/null', `echo '${JSON.stringify(answer)}'`)
/** Stops when its input contains the text. */
const stopsOn = (text: string, answer: unknown) =>
  sh('case $(cat) in', `  *${text}*) echo '${JSON.stringify(answer)}' ;;`, "  *) echo '{}' ;;", 'esac')

const user = (script: string, entry?: Record<string, unknown>) =>
  ({ source: 'user', script, ...(entry ? { entry } : {}) }) as const
const enterprise = (script: string) => ({ source: 'enterprise', script }) as const

const permission = ({ permission: said }: Verdict) => said
const goesOn = (verdict: Verdict) => verdict.continue
const ran = ({ runs }: Verdict) => runs.length
const outcome = ({ runs }: Verdict) => runs[0]?.outcome.kind

const deny = { permission: 'deny' }
const stop = { continue: false }
const shell = { command: 'ls' }
const prompt = { prompt: 'secret' }
const tool = { tool_name: 'Shell', tool_input: {} }
const SILENT = sh('cat > /dev/null')

export const PROOFS: readonly Proof[] = [
  {
    kind: 'event',
    what: 'tools',
    hooks: [user(says({ ...deny, decision: 'deny' }))],
    event: 'preToolUse',
    fields: tool,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'prompt-hook',
    what: 'a prompt',
    hooks: [user('', { type: 'prompt', prompt: 'Is it harmless?' })],
    event: 'beforeShellExecution',
    fields: shell,
    seen: ran,
    wanted: 1,
  },
  {
    kind: 'path',
    what: 'from the root',
    hooks: [{ source: 'project', script: says(deny) }],
    event: 'beforeShellExecution',
    fields: shell,
    seen: outcome,
    wanted: 'answered',
  },
  {
    kind: 'first-only',
    what: 'the second of a file',
    hooks: [user(SILENT), user(says(deny))],
    about: 1,
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'first-valid',
    what: 'after an answer',
    hooks: [user(says({})), user(says(deny))],
    about: 1,
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
    except: ['cursor-2.1'],
  },
  {
    kind: 'matcher',
    what: 'not for everything',
    hooks: [user(says(deny), { matcher: 'git push' })],
    event: 'beforeShellExecution',
    fields: shell,
    seen: ran,
    wanted: 0,
  },
  {
    kind: 'timeout',
    what: 'a short limit',
    hooks: [user(sh('exec sleep 0.6'), { timeout: 0.2 })],
    event: 'afterFileEdit',
    fields: { file_path: '/a' },
    seen: outcome,
    wanted: 'failed',
  },
  {
    kind: 'loop-limit',
    what: 'a high limit',
    hooks: [user(says({ followup_message: 'on' }), { loop_limit: 10 })],
    event: 'stop',
    fields: { loop_count: 7 },
    seen: ran,
    wanted: 1,
  },
  {
    kind: 'failure',
    what: 'closed by default',
    hooks: [user(sh(`test -e /nowhere && echo '${JSON.stringify(deny)}'`, 'exit 1'))],
    event: 'beforeReadFile',
    fields: { file_path: '/a' },
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'failure',
    what: 'closed by the entry',
    hooks: [user(sh('exit 1'), { failClosed: true })],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'gate',
    what: 'a prompt',
    hooks: [user(says(stop), { failClosed: true })],
    event: 'beforeSubmitPrompt',
    fields: prompt,
    seen: goesOn,
    wanted: false,
  },
  {
    kind: 'gate',
    what: 'a session',
    hooks: [user(says(stop), { failClosed: true })],
    event: 'sessionStart',
    seen: goesOn,
    wanted: false,
  },
  {
    kind: 'run',
    what: 'unhonoured: a message',
    hooks: [user(says({ ...deny, agent_message: 'no', agentMessage: 'no' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: verdict => verdict.agentMessage,
    wanted: 'no',
  },
  {
    kind: 'run',
    what: 'unhonoured: a follow-up',
    hooks: [user(says({ followup_message: 'on' }))],
    event: 'stop',
    seen: verdict => verdict.followupMessage,
    wanted: 'on',
  },
  {
    kind: 'run',
    what: 'unhonoured: context',
    hooks: [user(says({ additional_context: 'c' }))],
    event: 'postToolUse',
    fields: tool,
    seen: verdict => verdict.additionalContext,
    wanted: 'c',
  },
  {
    kind: 'run',
    what: 'other-gate: continue for permission',
    hooks: [user(says(stop))],
    event: 'beforeReadFile',
    fields: { file_path: '/a' },
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'other-gate: permission for continue',
    hooks: [user(says(deny))],
    event: 'beforeSubmitPrompt',
    fields: prompt,
    seen: goesOn,
    wanted: false,
    except: ['cursor-1.7'],
  },
  {
    kind: 'run',
    what: 'spelling: camelCase',
    hooks: [user(says({ ...deny, userMessage: 'no' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: verdict => verdict.userMessage,
    wanted: 'no',
  },
  {
    kind: 'run',
    what: 'spelling: snake_case',
    hooks: [user(says({ ...deny, user_message: 'no' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: verdict => verdict.userMessage,
    wanted: 'no',
  },
  {
    kind: 'run',
    what: 'spelling: both',
    hooks: [user(says({ ...deny, user_message: 'no', userMessage: 'no' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: verdict => verdict.userMessage,
    wanted: 'no',
    nowhere: true,
  },
  {
    kind: 'run',
    what: 'decision: on commands',
    hooks: [user(says({ decision: 'deny' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'decision: on tools',
    hooks: [user(says({ decision: 'deny' }))],
    event: 'preToolUse',
    fields: tool,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'decision: permission on tools',
    hooks: [user(says(deny))],
    event: 'preToolUse',
    fields: tool,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'exit-2: a command',
    hooks: [user(sh('exit 2'))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'exit-after-deny: a command',
    hooks: [user(sh(`echo '${JSON.stringify(deny)}'`, 'exit 1'))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'silence: a watcher',
    hooks: [user(SILENT)],
    event: 'beforeShellExecution',
    fields: shell,
    seen: outcome,
    wanted: 'silent',
  },
  {
    kind: 'run',
    what: 'text: before a deny',
    hooks: [user(sh('echo "looking at it"', `echo '${JSON.stringify(deny)}'`))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: outcome,
    wanted: 'answered',
  },
  {
    kind: 'run',
    what: 'ask: about a tool',
    hooks: [user(says({ permission: 'ask', decision: 'ask' }))],
    event: 'preToolUse',
    fields: tool,
    seen: permission,
    wanted: 'ask',
  },
  {
    kind: 'run',
    what: 'ask: about a subagent',
    hooks: [user(says({ permission: 'ask', decision: 'ask' }))],
    event: 'subagentStart',
    fields: { subagent_type: 'explore' },
    seen: permission,
    wanted: 'deny',
    nowhere: true,
  },
  {
    kind: 'run',
    what: 'ask: about a command',
    hooks: [user(says({ permission: 'ask' }))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'ask',
    nowhere: true,
  },
  {
    kind: 'run',
    what: 'renamed: the prompt',
    hooks: [user(stopsOn(`'"prompt":"secret"'`, stop))],
    event: 'beforeSubmitPrompt',
    fields: prompt,
    seen: goesOn,
    wanted: false,
    except: ['cursor-1.7'],
  },
  {
    kind: 'run',
    what: 'unsent: the sandbox',
    hooks: [user(stopsOn(`'"sandbox":false'`, deny))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'unsent: the model',
    hooks: [user(stopsOn(`'"model":"default"'`, deny))],
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
  },
  {
    kind: 'run',
    what: 'attachments: of a prompt',
    hooks: [user(stopsOn(`'"attachments"'*'"file_path":"/secret'`, stop))],
    event: 'beforeSubmitPrompt',
    fields: { prompt: 'p', attachments: [{ type: 'file', file_path: '/secret' }] },
    seen: goesOn,
    wanted: false,
    except: ['cursor-1.7'],
  },
  {
    kind: 'run',
    what: 'silent-neighbour: a watcher beside it',
    hooks: [user(says(stop)), user(SILENT)],
    event: 'beforeSubmitPrompt',
    fields: prompt,
    seen: goesOn,
    wanted: false,
    except: ['cursor-1.7'],
  },
  {
    kind: 'run',
    what: 'higher-source: an allow above it',
    hooks: [enterprise(says({ permission: 'allow' })), user(says(deny))],
    about: 1,
    event: 'beforeShellExecution',
    fields: shell,
    seen: permission,
    wanted: 'deny',
    except: ['cursor-2.3'],
  },
  {
    kind: 'run',
    what: 'last-context: another context after it',
    hooks: [user(says({ additional_context: 'one' })), user(says({ additional_context: 'two' }))],
    event: 'sessionStart',
    seen: verdict => verdict.additionalContext?.includes('one') ?? false,
    wanted: true,
  },
  {
    kind: 'run',
    what: 'last-value: another follow-up below it',
    hooks: [enterprise(says({ followup_message: 'high' })), user(says({ followup_message: 'low' }))],
    event: 'stop',
    seen: verdict => verdict.followupMessage,
    wanted: 'high',
    except: ['cursor-1.7'],
  },
]
