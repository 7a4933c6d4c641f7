// An MCP server over stdio, by hand, that does what servers do when they are at their worst.

import { createInterface } from 'node:readline'

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = words => ({ content: [{ type: 'text', text: words }] })

const number = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}
const any = { type: 'object' }
const tools = [
  { name: 'double', inputSchema: number },
  { name: 'fail', inputSchema: any },
  { name: 'die', inputSchema: any },
  { name: 'hang', inputSchema: any },
  { name: 'flood', inputSchema: any },
  { name: 'odd', inputSchema: { type: 'object', $ref: '#/nowhere' } },
]

const DOES = {
  double: ({ n }) => text(String(n * 2)),
  fail: () => ({ ...text('it broke'), isError: true }),
  die: () => process.exit(1),
  hang: () => undefined,
  flood: () => text('x'.repeat(2_000_000)),
  odd: input => text(JSON.stringify(input)),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'worst', version: '1' }
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } })
  }
  if (method === 'tools/list') send({ id, result: { tools } })
  if (method !== 'tools/call') return
  const result = DOES[params.name](params.arguments)
  if (result) send({ id, result })
})
