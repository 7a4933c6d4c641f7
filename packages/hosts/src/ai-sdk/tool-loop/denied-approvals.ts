// With the AI SDK, an application may ask for approvals between two calls of the agent. A call that the user rejected
// there never reaches its tool; it counts as failed.

import type { ModelMessage } from 'ai'
import { tellLostCall } from '../agent/hooked-tool.js'
import type { Scene } from '../agent/scene.js'

export async function tellDeniedApprovals(scene: Scene, messages: readonly ModelMessage[]): Promise<void> {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return
  const asked = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  for (const answer of last.content) {
    if (answer.type !== 'tool-approval-response' || answer.approved) continue
    const request = asked.find(
      part => part.type === 'tool-approval-request' && part.approvalId === answer.approvalId,
    )
    const id = request?.type === 'tool-approval-request' ? request.toolCallId : undefined
    const call = asked.find(part => part.type === 'tool-call' && part.toolCallId === id)
    if (call?.type !== 'tool-call') continue
    const message = answer.reason ?? 'The user did not approve this tool call.'
    await tellLostCall(scene, call, message, 'permission_denied')
  }
}
