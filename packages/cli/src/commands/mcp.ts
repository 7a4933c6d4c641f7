// holdfast mcp: connects an MCP client and a server, so that hooks receive every tool call. Its stdout belongs to the
// protocol; all messages go to stderr.

import { flag, type Given, list, value } from '../arguments.js'
import type { Command } from '../command.js'
import { askDaemon } from '../daemon/ask.js'
import { questionOf } from '../daemon/questions.js'
import { type ListenPlace, listenPlace } from '../mcp/listen-place.js'
import { clientOutput } from '../mcp/output.js'
import { readServer, type ServerCall } from '../mcp/server.js'
import { evaluatePrompt, ownDoor } from '../model.js'
import { WORKSPACE } from '../option-sections.js'
import { printError } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, workspaceOf } from '../workspace.js'
import { mcpInstall, mcpUninstall } from './mcp-install.js'

export const command: Command = {
  name: 'mcp',
  summary: 'Run hooks between an MCP client and a server',
  description:
    'The client starts this command instead of the server. Each tool call fires preToolUse and beforeMCPExecution, each result afterMCPExecution and postToolUse. Everything else is passed on unchanged. A denied call does not reach the server; the model receives the reason. If a hook asks and the client supports forms, the client asks the user. Otherwise the question waits in the daemon for holdfast ui or holdfast approvals; without a daemon, the call is denied. Resources fire beforeReadFile and prompts beforeSubmitPrompt before the client gets them. If the server changes the description or schema of a tool, the user is asked before it is called.',
  takesCommandLine: true,
  options: [
    {
      options: {
        name: value('NAME', 'the mcp_server_name that hooks receive', {
          defaultText: 'the name that the server reports',
        }),
        url: value('URL', 'a server with Streamable HTTP, instead of a program'),
        header: list(
          'TEXT',
          '"Name: value" for that server; for secrets, use the variable HOLDFAST_MCP_HEADERS, one per line',
        ),
        listen: value('[HOST:]PORT', 'serve clients over HTTP at this address instead of stdio', {
          defaultText: 'the host is 127.0.0.1',
        }),
        'allow-host': list('NAME', 'with --listen: a name under which clients reach this machine'),
        translate: flag('the client supports only revision 2026-07-28: translate for an earlier server'),
        'no-pins': flag('do not ask when the server changes the definition of a tool'),
        'no-log': flag('do not write to the log'),
      },
    },
    WORKSPACE,
  ],
  subcommands: [mcpInstall, mcpUninstall],
  exitCodes: { 0: 'that of the server', 1: 'the server could not be started, or the call is wrong' },
  examples: [
    'holdfast mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .',
    'holdfast mcp --name docs --url https://example.com/mcp',
    'holdfast mcp --listen 8383 --name docs --url https://example.com/mcp',
    'holdfast mcp install --dry-run',
    'holdfast mcp uninstall',
  ],
  run,
}

async function run(given: Given, commandLine: readonly string[] | undefined): Promise<number> {
  const call = readServer(given, commandLine)
  const { home, host, logFile } = workspaceOf(given)
  const door = (await ownDoor()!('@holdfast/hosts/mcp')) as unknown as GatewayModule
  const gateway = {
    host: { ...host, watch: true, evaluatePrompt, log: { file: given.has('no-log') ? null : logFile } },
    fields: call.fields,
    forModernOnly: given.has('translate'),
    askElsewhere: async (question: ElsewhereQuestion, client: string) => {
      const asked = { ...questionOf(question, client), cwd: currentFolder() }
      const answer = await askDaemon(home, asked, question.signal)
      // About a changed tool, the gateway itself knows what to do.
      return answer ?? (question.verdict ? { reason: NO_DAEMON } : undefined)
    },
    ...(given.has('no-pins') ? {} : { pinFile: door.pinFileOf(home, JSON.stringify(call.fields)) }),
  }
  const signal = endedBySignal()
  const place = listenPlace(given, call)
  if (place) {
    const { address, closed } = await startListening(door, { ...place, gateway, call, signal })
    note(`listens at ${address}. End it with Ctrl-C.`)
    await closed
    return 0
  }
  const server = call.kind === 'url' ? door.reachServer({ ...call, note }) : await start(door, call)
  if (process.stdin.isTTY)
    note('Waiting for an MCP client, which usually starts this command. End it with Ctrl-D.')
  const output = clientOutput()
  const code = await door.runGateway({ ...gateway, input: process.stdin, output, server, signal, note })
  await new Promise<void>(resolve => output.end(resolve))
  return code
}

const NO_DAEMON =
  'A hook asks for approval, and this client cannot ask the user. Run holdfast daemon start; then such a question waits in holdfast ui and holdfast approvals.'

interface Listening extends ListenPlace {
  readonly gateway: ListenOptions['gateway']
  readonly call: ServerCall
  readonly signal: AbortSignal
}

async function startListening(door: GatewayModule, { call, ...options }: Listening) {
  const connect: ListenOptions['connect'] = async (headers, onRefusal) => {
    if (call.kind === 'command') return start(door, call)
    // The same object: a renewed token counts from the next request on.
    for (const [name, value] of Object.entries(call.headers)) headers[name.toLowerCase()] ??= value
    return door.reachServer({ url: call.url, headers, note, onRefusal })
  }
  try {
    return await door.listen({
      ...options,
      connect,
      note,
      ...(call.kind === 'url' ? { upstream: new URL(call.url) } : {}),
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message
    throw new UsageError(`Cannot listen at ${options.hostname}:${options.port}: ${why}.`)
  }
}

const note = (text: string) => printError(`holdfast mcp: ${visible(text)}\n`)

async function start(door: GatewayModule, { command, args }: Extract<ServerCall, { kind: 'command' }>) {
  try {
    return await door.startServer({ command, args })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'it was not found' : code === 'EACCES' ? 'it may not be executed' : message
    throw new UsageError(
      `The MCP server "${command}" could not be started: ${why}. Give the command of the client's settings after --.`,
    )
  }
}

type GatewayModule = typeof import('@holdfast/hosts/mcp')
type ElsewhereQuestion = Parameters<
  NonNullable<import('@holdfast/hosts/mcp').GatewayOptions['askElsewhere']>
>[0]
type ListenOptions = import('@holdfast/hosts/mcp').ListenOptions

/**
 * Ends the server and the session. Unlike in other commands, a second signal has no effect: exiting at once would leave
 * the server running.
 */
function endedBySignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      process.exitCode ||= { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[name]
      controller.abort()
    })
  }
  return controller.signal
}
