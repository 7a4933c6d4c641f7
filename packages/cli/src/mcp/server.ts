// Which server: the command after --, or an address with its headers.

import { nearest } from '@holdfast/hooks'
import { Complaint } from '../complaint.js'
import type { Given } from '../options.js'

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

/** Where `install` puts the headers of a server: an environment is not shown to every user of the machine. */
export const HEADERS_VARIABLE = 'HOLDFAST_MCP_HEADERS'

const EXAMPLE = 'holdfast mcp -- npx -y @modelcontextprotocol/server-filesystem .'

export function readServer(given: Given, words: readonly string[] | undefined): ServerCall {
  const url = given.value('url')
  const name = given.value('name')
  const named = name === undefined ? {} : { mcp_server_name: name }
  const [extra] = given.positionals
  if (extra !== undefined) {
    const meant = nearest(extra, ['install', 'uninstall'])
    const next = meant
      ? `Did you mean: holdfast mcp ${meant}`
      : `Put -- before the server's command: ${EXAMPLE}`
    throw new Complaint(`mcp does not know what to do with "${extra}". ${next}`)
  }
  if (url !== undefined) {
    if (words !== undefined) throw new Complaint('mcp takes a command after -- or --url, not both.')
    return {
      kind: 'url',
      url: addressOf(url),
      headers: headersOf(given),
      fields: { ...named, url, mcp_server_url: url },
    }
  }
  const [command, ...args] = words ?? []
  if (command === undefined || command === '') {
    throw new Complaint(
      `mcp needs a server: its command after --, or its address with --url. For example: ${EXAMPLE}`,
    )
  }
  if (given.list('header').length > 0) throw new Complaint('--header is for servers with --url.')
  return {
    kind: 'command',
    command,
    args,
    fields: { ...named, command: [command, ...args].map(quoted).join(' ') },
  }
}

/** As one would type it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

function addressOf(text: string): string {
  if (!URL.canParse(text))
    throw new Complaint(`--url "${text}" is not an address. Write it like https://example.com/mcp`)
  const { protocol } = new URL(text)
  if (protocol === 'http:' || protocol === 'https:') return text
  throw new Complaint(`--url "${text}" begins with ${protocol}; expected http: or https:`)
}

/** Of the environment first; the command line wins over it. */
function headersOf(given: Given): Record<string, string> {
  const inherited = (process.env[HEADERS_VARIABLE] ?? '').split('\n').filter(line => line.trim() !== '')
  // Hooks inherit our environment, and these are none of their business.
  delete process.env[HEADERS_VARIABLE]
  return Object.fromEntries([
    ...inherited.map(line => headerOf(line, HEADERS_VARIABLE)),
    ...given.list('header').map(line => headerOf(line, '--header')),
  ])
}

function headerOf(line: string, where: string): [string, string] {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*?)\s*$/.exec(line) ?? []
  // The value may be a secret, so it is not repeated.
  if (name === undefined || value === undefined) throw new Complaint(`${where} must look like "Name: value".`)
  return [name, value]
}
