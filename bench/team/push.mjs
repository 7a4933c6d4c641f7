// Two thousand waiting devices: the time from publishing until the last one has the new release, and the cost of
// waiting.

import { request } from 'node:http'
import { report } from '../measure.mjs'
import { startTeam } from '../team-server.mjs'

const CLIENTS = 2000
/** The server accepts sixteen concurrent polls of one device. */
const OF_ONE = 16
const ROUNDS = 3
const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1&encoding=json&message='
const HOLD = encodeURIComponent(JSON.stringify({ waitSeconds: 50 }))

export async function measure() {
  const team = await startTeam()
  const clients = []
  try {
    await (await team.publish('first'))()
    let token
    for (let index = 0; index < CLIENTS; index++) {
      if (index % OF_ONE === 0) token = await team.device(`laptop${index}`)
      clients.push(openClient(team.url, token))
    }
    await allWait(team)
    const times = []
    for (let round = 0; round < ROUNDS; round++) {
      const publish = await team.publish(`round${round}`)
      const began = performance.now()
      const all = Promise.all(clients.map(client => client.changes()))
      await publish()
      await all
      times.push(performance.now() - began)
      await allWait(team)
    }
    const memory = (await team.figure('process_resident_memory_bytes')) / 1024 / 1024
    report(
      `publish until the last of ${CLIENTS} has it`,
      Math.max(...times),
      2000,
      'ms',
      'the slowest of three',
    )
    report(`memory with ${CLIENTS} that wait`, memory, 300, 'MB')
  } finally {
    for (const client of clients) client.close()
    await team.stop()
  }
}

/** Polls without end, as a device does. */
function openClient(url, token) {
  let etag = '"none"'
  let isClosed = false
  let call
  let onChange = () => {}
  const poll = () => {
    const headers = { authorization: `Bearer ${token}`, 'if-none-match': etag }
    call = request(url + PATH + HOLD, { headers, agent: false }, response => {
      response.resume()
      response.once('end', () => {
        if (response.statusCode === 200) {
          etag = response.headers.etag
          onChange()
        }
        if (!isClosed) poll()
      })
    })
    call.on('error', () => {})
    call.end()
  }
  poll()
  return {
    changes: () => new Promise(resolve => (onChange = resolve)),
    close() {
      isClosed = true
      call.destroy()
    },
  }
}

async function allWait(team) {
  while ((await team.figure('holdfast_waiting_polls')) < CLIENTS)
    await new Promise(resolve => setTimeout(resolve, 100))
}
