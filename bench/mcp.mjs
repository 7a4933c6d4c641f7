// Measures what the gateway adds to a tool call without hooks: the same client and server, with and without the
// gateway.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { inform, interleave, missedBars, report } from './measure.mjs'

const holdfast = fileURLToPath(new URL('../packages/cli/bin/holdfast.cjs', import.meta.url))
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

delete process.env.NODE_EXTRA_CA_CERTS

const ROUNDS = 400
const LARGE = 'x'.repeat(1024 * 1024)

export async function suite() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  process.stdout.write('\nmcp\n')
  const options = { cwd: folder, env: { ...process.env, HOME: home } }
  const between = [holdfast, 'mcp', '--enterprise', join(folder, 'none'), '--', process.execPath, everything]
  const direct = await connected({ ...options, command: process.execPath, args: [everything] })
  const gateway = await connected({ ...options, command: process.execPath, args: between })
  try {
    const small = await interleave({ direct: echo(direct, 'hi'), gateway: echo(gateway, 'hi') }, ROUNDS, 100)
    const detail = `${small.gateway.toFixed(2)} ms − ${small.direct.toFixed(2)} ms`
    report('added to a tool call, no hooks', small.gateway - small.direct, 1, 'ms', detail)
    const large = await interleave({ direct: echo(direct, LARGE), gateway: echo(gateway, LARGE) }, 20)
    inform('  call and result of 1 MB, with ÷ without', large.gateway / large.direct)
    await measureModern(options, between.slice(0, -2))
  } finally {
    await Promise.all([direct.close(), gateway.close()])
    rmSync(folder, { recursive: true, force: true })
  }
  return missedBars()
}

/** The same for revision 2026-07-28, with a server of the SDK's second version. */
async function measureModern(options, holdfast) {
  const server = [
    process.execPath,
    fileURLToPath(new URL('../tests/fixtures/mcp/modern.mjs', import.meta.url)),
  ]
  const open = async args => {
    const client = new ModernClient(
      { name: 'bench', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const transport = { ...options, command: process.execPath, args, stderr: 'ignore' }
    await client.connect(new ModernTransport(transport))
    return client
  }
  const [direct, gateway] = await Promise.all([open(server.slice(1)), open([...holdfast, ...server])])
  try {
    const all = await interleave({ direct: echo(direct, 'hi'), gateway: echo(gateway, 'hi') }, ROUNDS, 100)
    const detail = `${all.gateway.toFixed(2)} ms − ${all.direct.toFixed(2)} ms`
    report('the same, revision 2026-07-28', all.gateway - all.direct, 1, 'ms', detail)
  } finally {
    await Promise.all([direct.close(), gateway.close()])
  }
}

async function connected(server) {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }))
  return client
}

/** A response other than the echo would make the figure worthless. */
const echo = (client, message) => async () => {
  const { content } = await client.callTool({ name: 'echo', arguments: { message } })
  if (content[0].text !== `Echo: ${message}`)
    throw new Error(`The server responded ${content[0].text.slice(0, 80)}`)
}
