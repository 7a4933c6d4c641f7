import { WORKSPACE } from './parts.js'

export const text = `  holdfast bridge <agent> [options]   run hooks for an event of another agent

  The agent starts this command after holdfast install. It reads the payload of the agent on stdin, runs
  the hooks of each event that the payload stands for, and prints the response in the format of the agent.
  The state of sessions is in ~/.holdfast/bridge; problems are logged in ~/.holdfast/log/bridge.log.

  Agents
    claude-code, codex, gemini, copilot, qwen

    --event NAME       the agent's name of the event, for payloads without it
    --limit SECONDS    deny when hooks have not decided by then (default: 590, the most); set it below the
                       limit of the entry in the agent's settings
    --no-log           do not write to the log of runs

${WORKSPACE}
  Exit code
    0 with the response on stdout; 2 if the call is blocked without one

  Example
    echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | holdfast bridge claude-code
`
