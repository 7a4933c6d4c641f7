// Polls without changes, relative to a bare server that only returns 304. Both run in their own processes and are
// called over raw sockets, so that the client costs as little as possible.

import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { interleave, report } from '../measure.mjs'
import { startTeam } from '../team-server.mjs'

const SOCKETS = 32
const POLLS = 20_000
const ROUNDS = 7
const BARE = `require('node:http').createServer((q, r) => { r.writeHead(304, { etag: '"x"' }); r.end() })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export async function measure() {
  const team = await startTeam()
  const bare = spawn(process.execPath, ['-e', BARE], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const port = await new Promise(resolve => bare.stdout.once('data', chunk => resolve(Number(chunk))))
    const token = await team.device('laptop')
    await (await team.publish('one'))()
    const path = '/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1&encoding=json&message=%7B%7D'
    const headers = { authorization: `Bearer ${token}` }
    const first = await fetch(team.url + path, { headers })
    const etag = first.headers.get('etag')
    if (first.status !== 200 || !etag) throw new Error(`The first poll was answered with ${first.status}.`)
    const again = await fetch(team.url + path, { headers: { ...headers, 'if-none-match': etag } })
    if (again.status !== 304) throw new Error(`The second poll was answered with ${again.status}.`)
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nIf-None-Match: ${etag}\r\n\r\n`
    const times = await interleave(
      { team: () => polls(Number(new URL(team.url).port), request), bare: () => polls(port, request) },
      ROUNDS,
      2,
    )
    const rate = ms => Math.round((POLLS * 1000) / ms)
    const detail = `${rate(times.team)} of ${rate(times.bare)} a second`
    report('unchanged polls ÷ a bare server that answers 304', times.bare / times.team, 0.25, '≥', detail)
  } finally {
    bare.kill()
    await team.stop()
  }
}

/** Each socket sends its next request when a response arrives. */
function polls(port, request) {
  let left = POLLS
  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      const ask = () => {
        if (left-- > 0) socket.write(request)
        else socket.end(resolve)
      }
      let text = ''
      socket.setEncoding('latin1')
      socket.on('data', chunk => {
        text += chunk
        if (!text.endsWith('\r\n\r\n')) return
        if (!text.startsWith('HTTP/1.1 304')) return reject(new Error(text.slice(0, 200)))
        text = ''
        ask()
      })
      socket.once('error', reject)
      socket.once('connect', ask)
    })
  return Promise.all(Array.from({ length: SOCKETS }, one))
}
