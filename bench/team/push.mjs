// Two thousand machines that listen: how long from publishing until the last of them has heard, and what they cost.

import { request } from 'node:http'
import { report } from '../measure.mjs'
import { startTeam } from '../team-server.mjs'

const CLIENTS = 2000
/** The server keeps sixteen streams of one device. */
const OF_ONE = 16
const ROUNDS = 3
/** A message of the stream: a flag, its length, then JSON. */
const EMPTY = Buffer.from([0, 0, 0, 0, 2, 0x7b, 0x7d])

export async function measure() {
  const team = await startTeam()
  const open = []
  try {
    const waiting = new Set()
    let token
    for (let index = 0; index < CLIENTS; index++) {
      if (index % OF_ONE === 0) token = await team.device(`laptop${index}`)
      open.push(await listen(team.url, token, waiting))
    }
    const times = []
    for (let round = 0; round < ROUNDS; round++) {
      const publish = await team.publish(`round${round}`)
      for (const client of open) waiting.add(client)
      const began = performance.now()
      const all = new Promise(resolve => {
        waiting.done = resolve
      })
      await publish()
      await all
      times.push(performance.now() - began)
    }
    const memory = (await team.memory()) / 1024 / 1024
    report(
      `publish until the last of ${CLIENTS} has heard`,
      Math.max(...times),
      2000,
      'ms',
      'the slowest of three',
    )
    report(`memory with ${CLIENTS} that listen`, memory, 300, 'MB')
  } finally {
    for (const client of open) client.destroy()
    await team.stop()
  }
}

/** Resolves when the stream has said its first word. */
function listen(url, token, waiting) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/connect+json',
      'connect-protocol-version': '1',
      authorization: `Bearer ${token}`,
    }
    const call = request(`${url}/holdfast.team.v1.DeviceService/Watch`, {
      method: 'POST',
      headers,
      agent: false,
    })
    let epoch
    call.on('response', response => {
      if (response.statusCode !== 200)
        return reject(new Error(`Watch was answered with ${response.statusCode}.`))
      response.on('data', chunk => {
        const said = /"epoch":(\d+)/.exec(chunk.toString('latin1'))?.[1]
        if (epoch === undefined) resolve(call)
        else if (said !== epoch && waiting.delete(call) && waiting.size === 0) waiting.done()
        epoch = said
      })
      response.on('error', () => {})
    })
    call.on('error', error => (epoch === undefined ? reject(error) : undefined))
    call.end(EMPTY)
  })
}
