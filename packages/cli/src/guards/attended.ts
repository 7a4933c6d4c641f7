// Whether a person is at the terminal, as far as a program can tell. A pipe, a hook, and the shell of an agent are not one:
// agents mark the processes that they start, and their programs are among the ancestors.

import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** Agents set these in the shells and hooks that they start. */
const MARKS = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CURSOR_AGENT',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'GEMINI_CLI',
  'QWEN_CODE',
  'COPILOT_AGENT',
  'OPENCODE',
  'AMP_THREAD_ID',
  'GOOSE_TERMINAL',
  'CLINE_ACTIVE',
  'AUGMENT_AGENT',
  'REPLIT_AGENT',
  'AI_AGENT',
  // Every hook receives these.
  'CURSOR_VERSION',
  'CURSOR_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
]
/** Programs of agents, and programs that pretend to be a terminal for another program. */
const AGENTS =
  /^(?:claude|codex|cursor-agent|gemini|qwen|copilot|opencode|amp|goose|droid|aider|crush|kiro-cli|agy|script|expect|unbuffer|socat|screen-exec)$/
const SCRIPTS =
  /(?:^|\/)(?:claude-code|@anthropic-ai|@openai\/codex|@google\/gemini-cli|@qwen-code|@github\/copilot|opencode-ai|@sourcegraph\/amp|cline)(?:\/|$)/
const DEEPEST = 32

/** The reason why nobody is there; undefined if a person may be. */
export function whyUnattended(
  streams: { readonly stdin: { isTTY?: boolean }; readonly stdout: { isTTY?: boolean } } = process,
  environment: NodeJS.ProcessEnv = process.env,
  pid = process.ppid,
): string | undefined {
  if (!streams.stdin.isTTY || !streams.stdout.isTTY) return 'this is not a terminal'
  const mark = MARKS.find(name => environment[name] !== undefined && environment[name] !== '')
  if (mark) return `an agent started this shell (${mark} is set)`
  const agent = ancestorsOf(pid).find(({ name, script }) => AGENTS.test(name) || SCRIPTS.test(script))
  return agent ? `the agent "${agent.name}" started this shell` : undefined
}

/** From /proc. Elsewhere the marks and the terminal have to do. */
function ancestorsOf(pid: number): { name: string; script: string }[] {
  const found: { name: string; script: string }[] = []
  for (let at = pid; at > 1 && found.length < DEEPEST; ) {
    try {
      const words = readFileSync(`/proc/${at}/cmdline`, 'utf8').split('\0')
      const name = basename(programOf(at) ?? words[0] ?? '')
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${at}/stat`, 'utf8')) ?? []
      found.push({ name, script: words.slice(0, 3).join(' ') })
      found.push({ name: basename(words[0] ?? ''), script: words[1] ?? '' })
      at = Number(parent)
    } catch {
      break
    }
  }
  return found
}

const programOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}
