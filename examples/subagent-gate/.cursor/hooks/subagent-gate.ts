// Limits subagents: which may start, with which tasks, how many at once. Also requires that they report.

import { conversationState, deny, followup, hook } from '@holdfast/hooks/sdk'
import { mentionsProduction } from './production.js'
import { present, type Worker, without } from './workers.js'

const TYPES = ['generalPurpose', 'explore', 'shell', 'reviewer']
/** Concurrent workers in one conversation. */
const AT_ONCE = 3

/** Starts and stops come from separate processes, often at the same time. */
const workersOf = (payload: { readonly conversation_id: string }) =>
  conversationState<readonly Worker[]>(payload, 'subagent-gate', [])

export default hook({
  subagentStart: async payload => {
    const { subagent_type: type, task, git_branch: branch = '' } = payload
    if (!TYPES.includes(type)) {
      return deny(`Subagents of the type "${type}" are not allowed here.`, {
        agent: `Use one of these types: ${TYPES.join(', ')}.`,
      })
    }
    const found = mentionsProduction(task) ?? mentionsProduction(branch)
    if (found !== undefined) {
      return deny(`A subagent was to work on production ("${found}").`, {
        agent:
          'Subagents do not touch production. Do that part in the main conversation, where the user sees each step.',
      })
    }
    if (!payload.is_parallel_worker) return
    let isIn = false
    await workersOf(payload).update(old => {
      const workers = present(old)
      isIn = workers.length < AT_ONCE
      return isIn ? [...workers, { id: payload.tool_call_id, type, task, since: Date.now() }] : workers
    })
    if (isIn) return
    return deny(`${AT_ONCE} subagents work at once already; one more was stopped.`, {
      agent: 'Wait until one of them has ended, then start this one.',
    })
  },

  subagentStop: async payload => {
    const { status, summary, loop_count, subagent_type: type, task } = payload
    if (status === 'completed' && summary.trim() === '' && loop_count === 0) {
      return followup('Your report is empty. Say what you did, what you found and where, and what is left.')
    }
    await workersOf(payload).update(old => without(present(old), { id: '', type, task }))
  },

  // Another hook or the user stopped it: it never started, and no end will be reported.
  postToolUseFailure: async payload => {
    const { subagent_type: type, task, prompt } = payload.tool_input
    const gone = { id: payload.tool_use_id, type: String(type), task: String(task ?? prompt) }
    await workersOf(payload).update(old => without(present(old), gone))
  },
})
