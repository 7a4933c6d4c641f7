// The plugin that `holdfast install cline` writes. Cline ends a run whose plugin throws, or does not respond within three
// seconds. A call of several commands or files is one event for each: hooks judge one command, and one file.

import { pluginFile } from './plugin.js'

/** Below the three seconds of Cline, so that the model receives a reason and the run goes on. */
export const CLINE_LIMIT_MS = 2600

const SOURCE = `import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'

// The tools with several inputs in one call: the key of the list, and of an input that is a text.
const LISTS = { run_commands: ['commands', 'command'], read_files: ['files'], fetch_web_content: ['requests'] }

// Each session has a process of its own.
let sessionId
let isStarted = false
let isPromptNew = false
const directory = process.cwd()

const idsOf = ({ conversationId, parentAgentId }) => ({
  session_id: sessionId ?? conversationId,
  ...(parentAgentId ? { agent_id: conversationId } : {}),
})

const send = (event, snapshot, more) => call(event, { ...idsOf(snapshot), ...more }, directory)

const gate = (event, snapshot, more) =>
  send(event, snapshot, more).catch(error => ({
    decision: 'deny',
    reason: 'Blocked, because holdfast did not run the hooks: ' + error.message,
  }))

const observe = work => work.catch(error => console.error('holdfast: ' + error.message) ?? {})

/** One input for each command or file. Other forms of the call, which Cline accepts too, are marked. */
function inputsOf(tool, input) {
  const [key, text] = LISTS[tool] ?? []
  if (key === undefined) return [{ tool_input: input }]
  const items = Object.keys(input ?? {}).join() === key ? input[key] : undefined
  const isGood = item => (text ? typeof item === 'string' : item !== null && typeof item === 'object')
  if (!Array.isArray(items) || !items.every(isGood)) return [{ tool_input: input, expected_list: key }]
  return items.map(item => ({ tool_input: text ? { [text]: item } : item }))
}

function rewrittenInput(tool, input, responses) {
  if (!responses.some(response => response.input)) return undefined
  const [key, text] = LISTS[tool] ?? []
  if (key === undefined || !Array.isArray(input[key])) return responses[0].input
  const take = (item, { input: one }) => (one ? (text ? one[text] : one) : item)
  return { [key]: input[key].map((item, index) => take(item, responses[index])) }
}

const callsOf = ({ toolCall: { toolCallId, toolName }, input }) =>
  inputsOf(toolName, input).map((one, index, all) => ({
    tool_name: toolName,
    tool_use_id: all.length > 1 ? toolCallId + '.' + index : toolCallId,
    ...one,
  }))

/** Runs until the bridge has the payload: Cline ends this process at once. */
function callAtEnd() {
  const command = ENTRIES['session.end']
  if (command === undefined || !isStarted) return
  const folder = mkdtempSync(pathOf(tmpdir(), 'holdfast-'))
  const file = pathOf(folder, 'payload')
  writeFileSync(file, textOf('session.end', { session_id: sessionId }, directory), { mode: 0o600 })
  const input = openSync(file)
  spawn(command, { shell: true, cwd: directory, detached: true, stdio: [input, 'ignore', 'ignore'] }).unref()
  closeSync(input)
  rmSync(folder, { recursive: true })
}

const hooks = {
  async beforeRun({ snapshot }) {
    // The task of a subagent is an argument of the call that started it.
    if (snapshot.parentAgentId) return
    sessionId ??= snapshot.conversationId
    isPromptNew = true
    if (isStarted) return
    const source = snapshot.messages.some(({ role }) => role === 'assistant') ? 'resume' : 'startup'
    const { context, message } = await gate('session.start', snapshot, { source })
    isStarted = true
    return { appendContext: join([context, message]) }
  },
  // Not in beforeRun: the start of the session and the prompt have 3 seconds each.
  async beforeModel({ snapshot }) {
    if (snapshot.parentAgentId || !isPromptNew) return
    const isOfUser = ({ role, metadata }) => role === 'user' && metadata?.displayRole !== 'system'
    const parts = snapshot.messages.findLast(isOfUser)?.content ?? []
    const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => text)
    const prompt = texts.join('\\n').replace(/^<user_input[^>]*>([^]*)<\\/user_input>$/, '$1')
    const files = parts.filter(({ type }) => type === 'file').map(({ path }) => path)
    const { decision, reason } = await gate('beforeModel', snapshot, { prompt, files })
    // A stop would end the run without the reason.
    if (decision === 'deny') throw new Error(reason)
    isPromptNew = false
  },
  async beforeTool({ snapshot, toolCall, input }) {
    const calls = callsOf({ toolCall, input })
    const responses = await Promise.all(calls.map(one => gate('beforeTool', snapshot, one)))
    const denied = responses.filter(({ decision }) => decision === 'deny')
    if (denied.length > 0) return { skip: true, reason: join(denied.map(({ reason }) => reason)) }
    const rewritten = rewrittenInput(toolCall.toolName, input, responses)
    return rewritten ? { input: rewritten } : undefined
  },
  async afterTool({ snapshot, toolCall, input, result, durationMs }) {
    const calls = callsOf({ toolCall, input })
    const outputs = Array.isArray(result.output) && result.output.length === calls.length ? result.output : undefined
    const report = (one, index) => {
      const tool_response = { output: outputs ? outputs[index] : result.output, is_error: result.isError === true }
      return observe(send('afterTool', snapshot, { ...one, tool_response, duration_ms: durationMs }))
    }
    const responses = await Promise.all(calls.map(report))
    const { output } = responses[0]
    return {
      ...(output && calls.length === 1 ? { result: { ...result, output } } : {}),
      appendContext: join(responses.map(({ context }) => context)),
    }
  },
  async afterRun({ snapshot, result: { status, outputText, error } }) {
    const event = snapshot.parentAgentId ? 'subagent.afterRun' : status === 'aborted' ? 'run.aborted' : 'afterRun'
    const more = { last_assistant_message: outputText, ...(status === 'failed' ? { error: String(error) } : {}) }
    await observe(send(event, snapshot, more))
  },
}

process.on('SIGTERM', () => {
  callAtEnd()
  process.exit()
})

export default {
  name: 'holdfast',
  manifest: { capabilities: ['hooks'] },
  setup(_, { session } = {}) {
    sessionId = session?.sessionId
  },
  hooks,
}
`

export const clinePlugin = pluginFile(SOURCE, 'cline', CLINE_LIMIT_MS)
