// holdfast mcp: stands between an MCP client and a server, so that hooks see every tool call. Its stdout belongs to the
// protocol; whatever else is to be said goes to stderr.

import { Complaint } from '../complaint.js'
import { showHelp, workshop } from '../load.js'
import { clientOutput } from '../mcp/output.js'
import { readServer, type ServerCall } from '../mcp/server.js'
import { evaluatePrompt } from '../model.js'
import { parse, SHARED } from '../options.js'
import { printError } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { workspaceOf } from '../workspace.js'

const { json, color, 'no-color': noColor, ...WORKSPACE } = SHARED

export async function run(argv: readonly string[]): Promise<number> {
  const [word] = argv
  if (word === 'install' || word === 'uninstall') return (await workshop('mcp-install')).run(argv)
  const end = argv.indexOf('--')
  const table = { ...WORKSPACE, name: 'value', url: 'value', header: 'list', 'no-log': 'flag' } as const
  const given = parse('mcp', end === -1 ? argv : argv.slice(0, end), table)
  if (given.has('help')) return showHelp('mcp')
  const call = readServer(given, end === -1 ? undefined : argv.slice(end + 1))
  const { host, logFile } = workspaceOf(given)
  const door = await importDoor('@holdfast/hosts/mcp')
  const server = call.kind === 'url' ? door.reachServer({ ...call, note }) : await start(door, call)
  if (process.stdin.isTTY)
    note('This waits for an MCP client to speak; a client starts it by itself. End it with Ctrl-D.')
  const output = clientOutput()
  const code = await door.runGateway({
    host: { ...host, watch: true, evaluatePrompt, log: { file: given.has('no-log') ? null : logFile } },
    input: process.stdin,
    output,
    server,
    fields: call.fields,
    signal: endedBySignal(),
    note,
  })
  await new Promise<void>(resolve => output.end(resolve))
  return code
}

const note = (text: string) => printError(`holdfast mcp: ${visible(text)}\n`)

async function start(door: Door, { command, args }: Extract<ServerCall, { kind: 'command' }>) {
  try {
    return await door.startServer({ command, args })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'it was not found' : code === 'EACCES' ? 'it may not be executed' : message
    throw new Complaint(
      `The MCP server "${command}" could not be started: ${why}. Give the command as it stands in the client's settings, after --.`,
    )
  }
}

type Door = typeof import('@holdfast/hosts/mcp')

/** From bin/holdfast.cjs: code that comes out of V8's cache cannot import modules by itself. */
declare const importDoor: (name: '@holdfast/hosts/mcp') => Promise<Door>

/**
 * The server is ended, and the session with it. Unlike with other commands a second signal changes nothing: who ends us
 * at once would leave the server behind.
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
