// The events of one tool call: before it is sent on, after its result, and when it fails. The only file of the gateway
// that names events; everything around it moves messages.

import { type EventName, type FireOptions, HookBlockedError, type Hooks, type Session } from '@holdfast/hooks'
import { withKeys } from './json-text.js'

export interface Tool {
  readonly name: string
  /** Its arguments as the client wrote them. */
  readonly argumentsText: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly useId: string
}

/** How hooks know the server. */
export interface ServerInfo {
  readonly mcp_server_name?: string
  readonly mcp_server_url?: string
  readonly url?: string
  readonly command?: string
}

export type Passed =
  /** `tool` as the hooks want it. */
  { readonly kind: 'go'; readonly tool: Tool } | { readonly kind: 'denied'; readonly text: string }

/** Whether anybody has a say before a call. A required source that is not there has: it denies. */
export const isGated = (hooks: Hooks): boolean =>
  hooks.has('preToolUse') || hooks.has('beforeMCPExecution') || hooks.catalog().missing.length > 0

/** The generic event first: the specific one sees the input that it changed. */
export async function beforeCall(
  session: Session,
  given: Tool,
  server: ServerInfo,
  options: FireOptions,
): Promise<Passed> {
  try {
    const { verdict } = await session.guard('preToolUse', toolFields(given), options)
    const tool = withInput(given, verdict.updatedInput)
    const { name, argumentsText, useId } = tool
    const fields = { tool_name: name, tool_input: argumentsText, tool_use_id: useId, ...server }
    await session.guard('beforeMCPExecution', fields, options)
    return { kind: 'go', tool }
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    return { kind: 'denied', text: (error as HookBlockedError).agentMessage }
  }
}

export interface Seen {
  /** Instead of the result. */
  readonly output: Readonly<Record<string, unknown>> | null
  /** Beside it. */
  readonly context: string | null
}

type Engine = { readonly hooks: Hooks; readonly session: Session }

/** Why the client must not have what it wanted to read; null when it may. */
export const guardResource = (
  { hooks, session }: Engine,
  files: readonly { path: string; content: string }[],
) =>
  blockedBy(hooks, 'beforeReadFile', async event => {
    for (const { path, content } of files) {
      await session.guard(event, { file_path: path, content, attachments: [] })
    }
  })

/** The same for the messages of a prompt, which the client would send as the user's. */
export const guardPrompt = ({ hooks, session }: Engine, prompt: string) =>
  blockedBy(hooks, 'beforeSubmitPrompt', event =>
    session.guard(event, { prompt, attachments: [] }, { automatic: true }),
  )

async function blockedBy<E extends EventName>(
  hooks: Hooks,
  event: E,
  work: (event: E) => Promise<unknown>,
): Promise<string | null> {
  if (!hooks.has(event) && hooks.catalog().missing.length === 0) return null
  try {
    await work(event)
    return null
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    return (error as HookBlockedError).agentMessage
  }
}

/** Whether anybody wants to see results or failures; if not, they need not be taken apart. */
export const isWatched = (hooks: Hooks): boolean =>
  hooks.has('afterMCPExecution') || hooks.has('postToolUse') || hooks.has('postToolUseFailure')

export async function afterCall(
  session: Session,
  tool: Tool,
  server: ServerInfo,
  { result, duration, failure }: { result: string; duration: number; failure: string | null },
  options: FireOptions,
): Promise<Seen> {
  const { mcp_server_name, mcp_server_url } = server
  const fields = {
    tool_name: tool.name,
    tool_input: tool.argumentsText,
    ...(mcp_server_name === undefined ? {} : { mcp_server_name }),
    ...(mcp_server_url === undefined ? {} : { mcp_server_url }),
    result_json: result,
    duration,
  }
  await session.fire('afterMCPExecution', fields, options)
  if (failure !== null) return failedCall(session, tool, { message: failure, duration }, options)
  const told = { ...toolFields(tool), tool_output: result, duration }
  const verdict = await session.fire('postToolUse', told, options)
  return { output: verdict.updatedMcpToolOutput, context: withEarlier(session, verdict.additionalContext) }
}

export interface Failure {
  readonly message: string
  readonly duration: number
  readonly kind?: 'error' | 'timeout' | 'permission_denied'
  /** The client did not want to wait any longer. */
  readonly isInterrupt?: boolean
}

export async function failedCall(
  session: Session,
  tool: Tool,
  failure: Failure,
  options: FireOptions = {},
): Promise<Seen> {
  const fields = {
    ...toolFields(tool),
    error_message: failure.message,
    failure_type: failure.kind ?? 'error',
    duration: failure.duration,
    is_interrupt: failure.isInterrupt ?? false,
  }
  const verdict = await session.fire('postToolUseFailure', fields, options)
  return { output: null, context: withEarlier(session, verdict.additionalContext) }
}

/** With the context of hooks that ran after an earlier denial, which the client has read by now. */
function withEarlier(session: Session, context: string | null): string | null {
  const earlier = session.takeContext()
  return earlier && context ? `${earlier}\n\n${context}` : (earlier ?? context)
}

const toolFields = (tool: Tool) => ({
  tool_name: `MCP:${tool.name}`,
  tool_input: { ...tool.arguments },
  tool_use_id: tool.useId,
})

function withInput(tool: Tool, updated: Readonly<Record<string, unknown>> | null): Tool {
  if (!updated) return tool
  return {
    ...tool,
    arguments: { ...tool.arguments, ...updated },
    argumentsText: withKeys(tool.argumentsText, updated),
  }
}
