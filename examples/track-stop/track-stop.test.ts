// What the cases cannot cover: many hooks at once, and a server that is slow, refuses or redirects.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderOf } from '../../tests/integration/example-folders.js'

const HOOK = join(folderOf('track-stop'), '.cursor/hooks/track-stop.cjs')

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'track-stop-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

interface Ended {
  readonly answer: Record<string, unknown>
  readonly stderr: string
  readonly code: number | null
}

/** The real hook, as a host starts it. */
const fire = (payload: Record<string, unknown>, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const hook = spawn(process.execPath, [HOOK], {
      env: { PATH: process.env.PATH, HOLDFAST_STATE: state, ...env },
    })
    let stdout = ''
    let stderr = ''
    hook.stdout.on('data', text => {
      stdout += text
    })
    hook.stderr.on('data', text => {
      stderr += text
    })
    hook.on('error', reject)
    hook.on('close', code => resolve({ answer: JSON.parse(stdout || 'null'), stderr, code }))
    hook.stdin.end(JSON.stringify({ conversation_id: 'c1', cursor_version: '3.0', ...payload }))
  })

const failure = (tool_name: string) => ({
  hook_event_name: 'postToolUseFailure',
  tool_name,
  failure_type: 'error',
})
const stop = { hook_event_name: 'stop', status: 'completed', loop_count: 0 }

describe('many processes at once', () => {
  it('lose no failure, and only one of two stops asks again', async () => {
    await Promise.all(Array.from({ length: 16 }, (_, n) => fire(failure(`Tool${n}`))))
    const ended = await Promise.all([fire(stop), fire(stop)])
    const asked = ended.map(({ answer }) => answer.followup_message).filter(text => text !== undefined)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(/^16 failures are still open:/)
    for (let n = 0; n < 16; n++) expect(asked[0]).toContain(`- Tool${n} (error)`)
  })

  it('count each conversation apart', async () => {
    await Promise.all([fire(failure('Read')), fire({ ...failure('Write'), conversation_id: 'c2' })])
    for (const conversation_id of ['c1', 'c2'])
      expect((await fire({ ...stop, conversation_id })).answer).toEqual({})
  })
})

describe('telemetry', () => {
  let server: Server | undefined
  const bodies: Record<string, unknown>[] = []
  const listen = async (behave: RequestListener): Promise<string> => {
    server = createServer(behave)
    await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`
  }
  afterEach(async () => {
    bodies.length = 0
    server?.closeAllConnections()
    await new Promise(resolve => (server ? server.close(resolve) : resolve(null)))
    server = undefined
  })

  it('is one JSON with numbers, and without what the command was', async () => {
    const url = await listen(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      expect([request.method, request.headers['content-type']]).toEqual(['POST', 'application/json'])
      bodies.push(JSON.parse(text))
      response.writeHead(204).end()
    })
    for (const command of ['deploy --password hunter2', 'make'])
      await fire({ hook_event_name: 'afterShellExecution', command, exit_code: 1 })
    const { answer, stderr } = await fire(stop, { AGENT_TELEMETRY_URL: url })
    expect(answer.followup_message).toMatch('hunter2')
    expect(stderr).toBe('')
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatchObject({
      event: 'stop',
      conversation_id: 'c1',
      status: 'completed',
      loop_count: 0,
      failures: 2,
      retries: 1,
      retrying: true,
    })
    expect(JSON.stringify(bodies)).not.toContain('hunter2')
  })

  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['answers 500', (_, response) => response.writeHead(500).end()],
    ['leads elsewhere', (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['hangs up', request => request.socket.destroy()],
  ])('does not disturb when the server %s', async (_, behave) => {
    await Promise.all([fire(failure('Read')), fire(failure('Write'))])
    const url = await listen(behave)
    const { answer, stderr, code } = await fire(stop, { AGENT_TELEMETRY_URL: url })
    expect(code).toBe(0)
    expect(answer.followup_message).toMatch(/^2 failures/)
    expect(stderr).toMatch(/^The report to AGENT_TELEMETRY_URL failed: .+\n$/)
  })

  it('is not sent without an address', async () => {
    expect((await fire(stop)).stderr).toBe('')
  })
})
