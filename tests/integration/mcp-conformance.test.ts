// The official conformance runner of MCP, against a server and against the gateway in front of it: what holds without the
// gateway must hold with it. The runner is fetched from npm and needs a newer Node.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { finished, installed } from '../agents/program.js'
import { closing, far, gateway } from '../fixtures/mcp/listening.js'
import { openPlace } from '../fixtures/mcp/place.js'
import { itInAll } from '../scope.js'

const RUNNER = { package: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' }
const NODE = { package: `node-${process.platform}-${process.arch}`, version: '22.23.3' }

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The checks that passed, by scenario. */
async function passed(url: string, suite: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-conformance-'))
  try {
    const node = join(await installed(NODE), 'bin/node')
    const runner = join(await installed(RUNNER), 'dist/index.js')
    const words = [runner, 'server', '--url', url, '--suite', suite, '-o', folder]
    await finished(node, words, { timeoutMs: 110_000 })
    return readdirSync(folder).flatMap(name => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]
      const scenario = name.replace(/-\d{4}-.*$/, '')
      return checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => `${scenario} ${id}`)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Check {
  readonly id: string
  readonly status: string
}

itInAll.each(['all', 'draft'])('passes what the server itself passes: %s', async suite => {
  const here = openPlace()
  closing.push(() => here.close())
  const server = await far()
  const { url } = await gateway(here, ['--url', server.url])
  const direct = await passed(server.url, suite)
  expect(direct.length).toBeGreaterThan(50)
  const through = await passed(url, suite)
  expect(direct.filter(check => !through.includes(check))).toEqual([])
})
