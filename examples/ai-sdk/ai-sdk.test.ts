// Runs the examples as a user would.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'holdfast-example-ai-sdk-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const at = (name: string) => fileURLToPath(new URL(name, import.meta.url))

async function run(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: home })
  return stdout
}

const DENIED = '✗ Above 100, ask a colleague.'
const END = 'Order 8 is refunded. A colleague decides about order 7.'

describe('the examples', () => {
  it('stream with preliminary results, deny one call and make the other', async () => {
    const lines = (await run(at('stream-text.mjs'))).trim().split('\n')
    expect(lines).toContain(DENIED)
    expect(lines).toContain('… Looking up order 8 …')
    expect(lines).toContain('→ Refunded 20 for order 8.')
    expect(lines.join()).not.toContain('order 7.,')
    expect(lines.at(-1)).toBe(END)
  })

  it('stop a message before the model gets it', async () => {
    expect(await run(at('stream-text.mjs'), 'My card number is 4111')).toContain('No card numbers')
    expect(await run(at('tool-loop-agent.mjs'), 'My card number is 4111')).toContain('No card numbers')
  })

  it('run a ToolLoopAgent', async () => {
    const lines = (await run(at('tool-loop-agent.mjs'))).trim().split('\n')
    expect(lines).toEqual([DENIED, '→ Refunded 20 for order 8.', END])
  })

  it('serve a route', async () => {
    const script = `
      import { close, POST } from ${JSON.stringify(at('route.mjs'))}
      for (const text of ['Refund orders 7 and 8.', 'My card number is 4111']) {
        const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }]
        const response = await POST(new Request('http://a/', { method: 'POST', body: JSON.stringify({ messages }) }))
        console.log(response.status, JSON.stringify(await response.json()))
      }
      close()`
    const output = await run('--input-type=module', '-e', script)
    expect(output).toContain(`200 {"text":"${END}"}`)
    expect(output).toMatch(/403 \{"error":".*No card numbers/)
  })
})
