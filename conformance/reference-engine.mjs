// The adapter of our own engine for run-engine.test.ts, as a pattern for others: one request on stdin, one result on
// stdout. `proceeds` is the only key that must be printed; each further one is compared as well.

import { text } from 'node:stream/consumers'
import { openHooks } from '../packages/hooks/dist/index.js'

const { event, payload, project, home, enterprise } = JSON.parse(await text(process.stdin))
const hooks = await openHooks({
  workspaceRoots: [project],
  home,
  enterpriseDir: enterprise,
  trustAll: true,
  watch: false,
  log: { file: null },
})
const session = hooks.resumeSession({ conversationId: 'conversation' })
const verdict = await session.fire(event, payload)
const isBlocked = verdict.permission === 'deny' || verdict.continue === false
console.log(
  JSON.stringify({
    proceeds: isBlocked ? false : verdict.permission === 'ask' ? 'asks' : true,
    permission: verdict.permission,
    continue: verdict.continue,
    user_message: verdict.userMessage,
    agent_message: verdict.agentMessage,
    updated_input: verdict.updatedInput,
    updated_mcp_tool_output: verdict.updatedMcpToolOutput,
    additional_context: verdict.additionalContext,
    followup_message: verdict.followupMessage,
  }),
)
hooks.close()
