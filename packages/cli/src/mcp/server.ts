// The server to connect to: the command after --, or an address with its headers.

import { shellWord } from '@holdfast/hooks'
import type { Given } from '../arguments.js'
import { UsageError } from '../usage-error.js'

export type ServerCall =
  | {
      readonly kind: 'command'
      readonly command: string
      readonly args: readonly string[]
      readonly fields: EventFields
    }
  | {
      readonly kind: 'url'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly fields: EventFields
    }

interface EventFields {
  readonly mcp_server_name?: string
  readonly mcp_server_url?: string
  readonly url?: string
  readonly command?: string
}

/** Where `install` puts the headers of a server: other users of the machine cannot read an environment. */
export const HEADERS_VARIABLE = 'HOLDFAST_MCP_HEADERS'

const EXAMPLE = 'holdfast mcp -- npx -y @modelcontextprotocol/server-filesystem .'

export function readServer(given: Given, words: readonly string[] | undefined): ServerCall {
  const url = given.value('url')
  const name = given.value('name')
  const named = name === undefined ? {} : { mcp_server_name: name }
  if (url !== undefined) {
    if (words !== undefined) throw new UsageError('mcp takes a command after -- or --url, not both.')
    return {
      kind: 'url',
      url: addressOf(url),
      headers: headersOf(given),
      fields: { ...named, url, mcp_server_url: url },
    }
  }
  const [command, ...args] = words ?? []
  if (command === undefined || command === '') {
    throw new UsageError(
      `mcp needs a server: its command after --, or its address with --url. For example: ${EXAMPLE}`,
    )
  }
  if (given.list('header').length > 0) throw new UsageError('--header is for servers with --url.')
  return {
    kind: 'command',
    command,
    args,
    fields: { ...named, command: [command, ...args].map(shellWord).join(' ') },
  }
}

function addressOf(text: string): string {
  if (!URL.canParse(text))
    throw new UsageError(`--url "${text}" is not a URL. Write it as in https://example.com/mcp`)
  const { protocol } = new URL(text)
  if (protocol === 'http:' || protocol === 'https:') return text
  throw new UsageError(`--url "${text}" begins with ${protocol}; expected http: or https:`)
}

/** From the environment first; the command line takes precedence. */
function headersOf(given: Given): Record<string, string> {
  const inherited = (process.env[HEADERS_VARIABLE] ?? '').split('\n').filter(line => line.trim() !== '')
  // Hooks inherit this environment and must not receive the headers.
  delete process.env[HEADERS_VARIABLE]
  return Object.fromEntries([
    ...inherited.map(line => headerOf(line, HEADERS_VARIABLE)),
    ...given.list('header').map(line => headerOf(line, '--header')),
  ])
}

function headerOf(line: string, where: string): [string, string] {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*?)\s*$/.exec(line) ?? []
  // The value may be a secret, so it is not repeated.
  if (name === undefined || value === undefined)
    throw new UsageError(`${where} must look like "Name: value".`)
  return [name, value]
}
