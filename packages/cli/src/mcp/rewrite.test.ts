// Which servers of a client's settings already start through the gateway.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isThrough, throughGateway, withoutGateway } from './rewrite.js'
import { readSettings } from './settings.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-rewrite-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const through = { program: ['holdfast', 'mcp'], root: undefined, isOldUrl: false, at: undefined }

function entryOf(server: object) {
  const file = join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { one: server } }))
  return readSettings(file, 'mcp.json').entries[0]!
}

describe('a server', () => {
  it.each([
    ['holdfast', ['mcp', '--', 'server']],
    ['/usr/local/bin/holdfast', ['mcp', '--', 'server']],
    ['C:\\tools\\holdfast.exe', ['mcp']],
    ['holdfast.cmd', ['mcp']],
    ['node', ['/opt/holdfast.cjs', 'mcp']],
    ['npx', ['holdfast', 'mcp']],
  ])('that starts as %s %j is left as it is', (command, args) => {
    expect(isThrough(entryOf({ command, args }))).toBe(true)
    expect(throughGateway(entryOf({ command, args }), through)).toEqual({ kind: 'already' })
  })

  it.each([
    ['holdfast-notes', ['mcp']],
    ['/x/holdfast.sh', ['mcp']],
    ['my-holdfast', ['mcp']],
    ['holdfast.exe.bak', ['mcp']],
    ['/holdfast/server', ['mcp']],
    ['holdfast', ['serve', 'mcp']],
    ['holdfast', []],
    ['node', ['server.js', 'holdfast', 'mcp']],
    ['npx', ['holdfast-mcp', 'mcp']],
  ])('that only resembles it, %s %j, starts through the gateway afterwards', (command, args) => {
    expect(isThrough(entryOf({ command, args }))).toBe(false)
    const rewritten = throughGateway(entryOf({ command, args }), through)
    expect(rewritten.kind).toBe('text')
    const text = (rewritten as { text: string }).text
    expect(isThrough(entryOf(JSON.parse(text)))).toBe(true)
    expect(JSON.parse(withoutGateway(entryOf(JSON.parse(text)))!)).toEqual({ command, args })
  })
})
