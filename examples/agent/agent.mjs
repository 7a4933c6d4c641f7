#!/usr/bin/env node
// A small coding agent for the terminal, with hooks around everything it does. Two calls integrate hooks: openHooks
// finds them, startAgent runs them.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HookBlockedError, openHooks } from '@holdfast/hooks'
import {
  codingTools,
  mcpTools,
  openModel,
  promptEvaluator,
  scriptedModel,
  startAgent,
} from '@holdfast/hosts/ai-sdk'
import { HELP, readOptions } from './options.mjs'
import { openTerminal } from './terminal.mjs'

const INSTRUCTIONS =
  'You are a coding agent in a terminal. Look before you change anything, make small changes, run the tests, and say briefly what you did.'
const SUBAGENTS = {
  explore: {
    description: 'looks around and reports; changes nothing',
    instructions:
      'Find out what you are asked, with file names and lines. Change nothing. Report in a few sentences.',
    tools: ['Read', 'Grep', 'LS'],
  },
  generalPurpose: {
    description: 'does a piece of work on its own',
    instructions: 'Do what you are asked, then report what you changed and what is left.',
  },
}
/** Tools that only read need no approval. All others do. */
const HARMLESS = new Set(['Read', 'Grep', 'LS', 'Task'])

let terminal
try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(HELP)
  else {
    terminal = openTerminal()
    process.exitCode = await main(options)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  terminal?.close()
}

async function main(options) {
  const { workspace, yes } = options
  const models = await modelsOf(options)
  const hooks = await openHooks({
    workspaceRoots: [workspace],
    ...(options.home ? { home: options.home, enterpriseDir: join(options.home, 'enterprise') } : {}),
    onAsk: ({ message, fields }) =>
      terminal.confirm(`A hook asks: ${message ?? 'May it go on?'} ${terminal.short(fields)}`),
    evaluatePrompt: promptEvaluator({ model: options.model }),
  })
  const mcp = await serversOf(options)
  try {
    await trustHooks(hooks, options)
    for (const { message } of hooks.issues()) terminal.note(message)
    for (const problem of mcp.problems) terminal.note(problem)
    const agent = await startAgent({
      hooks,
      workspace,
      model: models.main,
      instructions: INSTRUCTIONS,
      tools: { ...codingTools({ workspace }), ...mcp.tools },
      toolEvents: mcp.toolEvents,
      subagents: Object.fromEntries(
        Object.entries(SUBAGENTS).map(([type, each]) => [
          type,
          { ...each, model: models[type] ?? models.main },
        ]),
      ),
      compaction: { contextWindow: options.context },
      approve: ({ toolName, input }) =>
        yes || HARMLESS.has(toolName) || terminal.confirm(`${toolName} ${terminal.short(input)}?`),
      onNotice: terminal.note,
      session: { composerMode: 'agent' },
    })
    return await talk(agent, options)
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    terminal.note(error.userMessage)
    return 1
  } finally {
    await mcp.close()
    await hooks.close()
  }
}

/** Messages from the command line, or from the user until the input ends. */
async function talk(agent, { prompts }) {
  let turn
  const onInterrupt = () => {
    if (turn) turn.abort()
    else void agent.end('user_close').then(() => process.exit(130))
  }
  process.on('SIGINT', onInterrupt)
  const waiting = [...prompts]
  let failed = 0
  try {
    for (;;) {
      const prompt = prompts.length > 0 ? waiting.shift() : await terminal.ask('> ')
      if (prompt === undefined || prompt.trim() === '/exit') break
      if (prompt.trim() === '') continue
      turn = new AbortController()
      failed = (await take(agent, prompt, turn.signal)) ? 0 : 1
      turn = undefined
    }
    await agent.end('completed')
    return failed
  } catch (error) {
    await agent.end('error', error)
    throw error
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

async function take(agent, prompt, signal) {
  try {
    if (prompt.trim() === '/compact') {
      if (!(await agent.compact(signal))) terminal.note('There is nothing to shorten yet.')
      return true
    }
    const turn = await agent.send(prompt, { signal, onPart: terminal.show, onFollowup: terminal.goOn })
    terminal.endLine()
    if (turn.status === 'blocked') terminal.note(turn.blocked)
    if (turn.status === 'aborted') terminal.note('Stopped.')
    return turn.status === 'completed'
  } catch (error) {
    // The conversation is still open, so the user can try again.
    terminal.endLine()
    terminal.note(`The model failed: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

/** A real model, or a script of responses for each agent. */
async function modelsOf({ model, script }) {
  if (!script) return { main: await openModel({ model }) }
  const lines = scriptOf(script)
  return Object.fromEntries(
    Object.entries(lines).map(([name, own]) => [
      name,
      scriptedModel(own, { modelId: `scripted-${name}`, delayMs: 15 }),
    ]),
  )
}

function scriptOf(file) {
  try {
    const lines = JSON.parse(readFileSync(file, 'utf8'))
    if (Array.isArray(lines?.main)) return lines
  } catch (error) {
    throw new Error(`--script: ${file} cannot be read: ${error.message}`)
  }
  throw new Error(`--script: ${file} has no list "main"; see scripts/tour.json.`)
}

/** Servers are commands of the workspace, so none starts without consent. */
async function serversOf({ workspace, yes }) {
  const none = { tools: {}, toolEvents: {}, problems: [], close: async () => {} }
  const file = join(workspace, '.cursor', 'mcp.json')
  if (!existsSync(file)) return none
  if (!yes && !(await terminal.confirm('Start the MCP servers of .cursor/mcp.json?'))) return none
  return mcpTools({ workspace, file })
}

/** Hooks that came with a folder run only after the user has reviewed them. */
async function trustHooks(hooks, { trust }) {
  const unknown = hooks.list().filter(({ state }) => state === 'untrusted')
  if (unknown.length === 0) return
  if (!trust) {
    for (const { hook } of unknown) terminal.note(`${hook.event}  ${hook.name}`)
    if (!(await terminal.confirm('These hooks of the project are new or changed. Trust them?'))) return
  }
  await hooks.trust(hooks.list().map(({ hook }) => hook))
}
