import { WORKSPACE } from './parts.js'

export const text = `  holdfast bridge <agent> [options]   run hooks for an event of another agent

  The agent starts this command itself, once it is installed: see holdfast install. It reads the agent's
  payload on stdin, runs the hooks of every event that it stands for, and answers in the agent's own words.
  Conversations are remembered under ~/.holdfast/bridge; what went wrong stands in ~/.holdfast/log/bridge.log.

  Agents
    claude-code, codex, gemini, copilot, qwen

    --event NAME       the event in the agent's words, for payloads that cannot be read or do not say
    --no-log           do not write to the log of runs

${WORKSPACE}
  Exit code
    0 with the answer on stdout; 2 when the call had to be blocked without one

  Example
    echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | holdfast bridge claude-code
`
