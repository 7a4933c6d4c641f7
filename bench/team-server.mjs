// A real team server in its own process, with an owner and devices, for the figures of the server.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aroundOf, enrol } from '@holdfast/team/device'

const HOLDFAST = fileURLToPath(new URL('../packages/cli/bin/holdfast.cjs', import.meta.url))
/** For example --cpu-prof. */
const NODE_ARGS = process.env.HOLDFAST_BENCH_NODE?.split(' ') ?? []
const PASSWORD = 'a long and quiet sentence'

export async function startTeam({ database } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const place = database ? ['--database', database, '--secret-file', join(folder, 'secret')] : []
  const serve = port => startServe(['--home', folder, '--port', String(port), ...place])
  const first = await serve(0)
  let { child } = first
  const { url, port, owner_link: ownerLink } = first.said
  const join_ = await fetch(ownerLink, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({
      name: 'Ada',
      email: 'ada@example.com',
      password: PASSWORD,
      repeated: PASSWORD,
    }),
  })
  const cookie = join_.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ')
  const call = async (method, message) => {
    const response = await fetch(`${url}/holdfast.team.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(message),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method}: ${answer.message}`)
    return answer
  }
  return {
    url,
    pid: () => child.pid,
    call,
    /** Enrols a device with its own home folder. Returns its token. */
    async device(name) {
      const { secret } = await call('DevicesService/CreateEnrolmentKey', { maxUses: 1, hours: 1 })
      const around = aroundOf({ home: join(folder, name), clientVersion: '0.0.0', deviceName: name })
      const result = await enrol(around, { server: url, proof: { enrolmentKey: secret } })
      if (!result.ok) throw new Error(result.problem?.message ?? 'not enrolled')
      return result.enrolment.token
    },
    async publish(text) {
      const { hook } = await call('HooksService/SaveDraft', {
        name: `Hook ${text}`,
        draft: {
          hookStep: 'stop',
          scriptName: `${text}.sh`,
          scriptContent: `#!/bin/sh\n# ${text}\necho '{}'\n`,
          isActive: true,
        },
      })
      await call('HooksService/CheckDraft', { id: hook.id })
      return () =>
        call('RolloutService/Publish', {
          drafts: [{ hookId: hook.id, draftVersion: hook.draftVersion }],
          note: text,
          skipRings: true,
        })
    },
    /** Reads one value of /metrics. */
    async figure(name) {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)[1])
    },
    /** A second server on the same database. */
    async another() {
      let { child, said } = await serve(0)
      return {
        url: said.url,
        pid: () => child.pid,
        async restart() {
          await end(child, 'SIGKILL')
          child = (await serve(said.port)).child
        },
        stop: () => end(child, 'SIGTERM'),
      }
    },
    /** Kills the server and starts it again with the same data, as after a power failure. */
    async restart() {
      await end(child, 'SIGKILL')
      child = (await serve(port)).child
    },
    async stop() {
      await end(child, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startServe(args) {
  const child = spawn(process.execPath, [...NODE_ARGS, HOLDFAST, 'serve', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '' },
  })
  const said = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', chunk => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text))
    })
    child.once('exit', code => reject(new Error(`The server ended with code ${code}.`)))
  })
  return { child, said }
}

async function end(child, signal) {
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await ended
}
