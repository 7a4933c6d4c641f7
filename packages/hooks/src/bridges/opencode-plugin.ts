// The plugin that `holdfast install opencode` writes. A gate whose bridge fails throws, which stops the prompt or the call.

import { pluginFile } from './plugin.js'
import { ENTRY_LIMIT_SECONDS } from './settings.js'

const SOURCE = `/** Blocks OpenCode, for events after which it ends without waiting. */
function callAtEnd(event, payload, directory) {
  const command = ENTRIES[event]
  if (command === undefined) return
  const input = textOf(event, payload, directory)
  spawnSync(command, { shell: true, cwd: directory, input, stdio: ['pipe', 'ignore', 'ignore'] })
}

export const Holdfast = async ({ client, directory }) => {
  const loadedAt = Date.now()
  const sessions = new Map()
  const texts = new Map()
  const started = new Set()
  // "opencode run" ends with the first turn.
  const isRun = process.argv.includes('run')

  const open = async id => {
    const { data } = await client.session.get({ path: { id } })
    if (!data) throw new Error('OpenCode does not know the session ' + id + '.')
    if (data.parentID) return { session_id: (await sessionOf(data.parentID)).session_id, agent_id: id }
    const source = data.time.created < loadedAt ? 'resume' : 'startup'
    started.add(id)
    const { message, context } = await call('session.created', { session_id: id, source }, directory)
    if (message) await show(message)
    return { session_id: id, context }
  }
  const sessionOf = id => {
    if (!sessions.has(id)) {
      const opened = open(id)
      sessions.set(id, opened)
      opened.catch(() => sessions.delete(id))
    }
    return sessions.get(id)
  }
  const show = async message => {
    if (!process.stdout.isTTY) console.error(message)
    await client.tui.showToast({ body: { message, variant: 'warning' } }).catch(() => {})
  }
  const send = async (event, id, more) => {
    const { session_id, agent_id } = await sessionOf(id)
    return call(event, { session_id, agent_id, ...more }, directory)
  }
  const gate = async (event, id, more) => {
    let response
    try {
      response = await send(event, id, more)
    } catch (error) {
      throw new Error('Blocked, because holdfast did not run the hooks: ' + error.message)
    }
    if (response.decision !== 'deny') return response
    if (response.message) await show(response.message)
    throw new Error(response.reason)
  }
  const observe = work => work.catch(error => console.error('holdfast: ' + error.message))
  /** The name of an MCP tool contains that of its server, with replaced characters. */
  const serverOf = async tool => {
    const { data } = await client.mcp.status()
    const plain = name => name.replace(/[^a-zA-Z0-9_-]/g, '_')
    const names = Object.keys(data ?? {}).filter(name => tool.startsWith(plain(name) + '_'))
    const name = names.sort((a, b) => b.length - a.length)[0]
    return name === undefined ? {} : { mcp_server: { name, tool: tool.slice(plain(name).length + 1) } }
  }
  const toolOf = async (tool, callID, args) => ({
    tool_name: tool,
    tool_input: args,
    tool_use_id: callID,
    ...(await serverOf(tool)),
  })
  const ended = async id => {
    const { session_id, agent_id } = await sessionOf(id)
    const more = { last_assistant_message: texts.get(id) }
    texts.delete(id)
    if (agent_id === undefined && isRun) return callAtEnd('session.idle', { session_id, ...more }, directory)
    const event = agent_id === undefined ? 'session.idle' : 'subagent.idle'
    const { followup } = await send(event, id, more)
    if (followup) await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: followup }] } })
  }

  return {
    async 'chat.message'({ sessionID }, { parts }) {
      const { agent_id } = await sessionOf(sessionID).catch(() => ({}))
      const typed = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic)
      // The prompt of a subagent is an argument of the call that started it.
      if (agent_id !== undefined || typed.length === 0) return
      const files = parts.flatMap(({ type, url }) => (type === 'file' && url?.startsWith('file:') ? [url] : []))
      await gate('chat.message', sessionID, { prompt: typed.map(({ text }) => text).join('\\n'), files })
    },
    async 'tool.execute.before'({ tool, sessionID, callID }, output) {
      const call = await toolOf(tool, callID, output.args)
      const { input } = await gate('tool.execute.before', sessionID, call)
      if (!input) return
      // OpenCode keeps the object, so its keys are replaced.
      for (const key of Object.keys(output.args)) delete output.args[key]
      Object.assign(output.args, input)
    },
    async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
      const work = async () => {
        const { content, metadata } = output
        const tool_response = { output: output.output, content, exit: metadata?.exit }
        const call = { ...(await toolOf(tool, callID, args)), tool_response }
        const { context, output: replaced } = await send('tool.execute.after', sessionID, call)
        if (replaced && Array.isArray(content)) output.content = replaced
        if (context && Array.isArray(output.content)) output.content.push({ type: 'text', text: context })
        else if (context) output.output = join([output.output, context])
      }
      await observe(work())
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      const { context } = sessionID ? await sessionOf(sessionID).catch(() => ({})) : {}
      if (context) system.push(context)
    },
    async 'experimental.text.complete'({ sessionID }, { text }) {
      texts.set(sessionID, text)
    },
    async 'experimental.session.compacting'({ sessionID }) {
      await observe(send('session.compacting', sessionID, { trigger: 'auto' }))
    },
    async event({ event: { type, properties } }) {
      if (type === 'session.idle') await observe(ended(properties.sessionID))
      if (type !== 'session.error' || properties.error?.name !== 'MessageAbortedError') return
      await observe(send('session.error', properties.sessionID, {}))
    },
    async dispose() {
      for (const id of started) callAtEnd('session.disposed', { session_id: id }, directory)
      started.clear()
    },
  }
}
`

export const opencodePlugin = pluginFile(SOURCE, 'opencode', ENTRY_LIMIT_SECONDS * 1000)
