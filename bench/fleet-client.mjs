// Devices of a simulated fleet, many in one process: each polls over a socket of its own as the device client does, and
// reports after every new release. Started by team/fleet.mjs, which sends its orders over IPC.

import { createHash } from 'node:crypto'
import { connect } from 'node:net'

const md5 = text => createHash('md5').update(text).digest('hex')
const SERVICE = '/holdfast.team.v1.DeviceService'
const HOLD = encodeURIComponent(JSON.stringify({ waitSeconds: 50 }))
const REPORT = JSON.stringify({ state: 'in_sync', facts: { name: 'laptop', operatingSystem: 'Linux' } })
/** As packages/team/src/device/waits.ts after a lost connection. */
const AFTER_LOSS_MS = 30_000

const count = { polls: 0, unchanged: 0, taken: 0, failed: 0, connected: 0 }
const devices = []
let round = 0

class Device {
  etag = '"none"'
  took = 0
  wantsRenewal = false
  text = ''
  onResponse = () => {}

  constructor(index, urls) {
    this.token = `hfd_${index.toString(16).padStart(16, '0')}_${md5(`${index}`)}${md5(`${index}x`)}`
    this.port = Number(new URL(urls[index % urls.length]).port)
    // The ports of one address would not be enough.
    this.address = `127.0.0.${2 + (index % 8)}`
  }

  open() {
    this.text = ''
    const socket = connect({ port: this.port, host: '127.0.0.1', localAddress: this.address, noDelay: true })
    this.socket = socket.setEncoding('latin1')
    let isOpen = false
    socket.on('connect', () => {
      isOpen = true
      count.connected++
      this.poll()
    })
    socket.on('data', text => this.read(text))
    socket.on('error', () => {})
    socket.on('close', () => {
      if (isOpen) count.connected--
      setTimeout(() => this.open(), Math.random() * AFTER_LOSS_MS)
    })
  }

  send(lines, body = '') {
    this.socket.write(
      `${lines.join('\r\n')}\r\nhost: x\r\nauthorization: Bearer ${this.token}\r\n\r\n${body}`,
    )
  }

  poll() {
    count.polls++
    this.send([
      `GET ${SERVICE}/GetTeamHooks?connect=v1&encoding=json&message=${HOLD} HTTP/1.1`,
      `if-none-match: ${this.etag}`,
    ])
    this.onResponse = (status, head) => {
      if (status === 200) {
        this.etag = /^etag: (.*)$/im.exec(head)[1].trim()
        if (this.took < round) count.taken++
        this.took = round
        return this.post('Report', REPORT, () => this.poll())
      }
      if (status === 304) count.unchanged++
      else count.failed++
      if (this.wantsRenewal) {
        this.wantsRenewal = false
        return this.post('RenewToken', '{}', body => {
          this.token = JSON.parse(/\{.*\}/s.exec(body)[0]).token
          this.poll()
        })
      }
      if (status === 304) this.poll()
      else setTimeout(() => this.poll(), 1000 + Math.random() * 5000)
    }
  }

  post(method, body, next) {
    const lines = ['content-type: application/json', `content-length: ${body.length}`]
    this.send([`POST ${SERVICE}/${method} HTTP/1.1`, ...lines], body)
    this.onResponse = (status, _head, text) => {
      if (status !== 200) count.failed++
      next(text)
    }
  }

  read(text) {
    this.text += text
    const end = this.text.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.text.slice(0, end)
    const body = this.text.slice(end + 4)
    const status = Number(head.slice(9, 12))
    const length = /^content-length: (\d+)/im.exec(head)
    const isWhole = status === 304 || (length ? body.length >= Number(length[1]) : body.endsWith('0\r\n\r\n'))
    if (!isWhole) return
    this.text = ''
    this.onResponse(status, head, body)
  }
}

process.on('message', order => {
  if (order.start) {
    const { from, to, urls, withinMs } = order.start
    for (let index = from; index < to; index++) {
      const device = new Device(index, urls)
      devices.push(device)
      setTimeout(() => device.open(), Math.random() * withinMs)
    }
  }
  if (order.round) {
    round = order.round
    count.taken = 0
  }
  if (order.renew) for (const device of devices.slice(0, order.renew)) device.wantsRenewal = true
  process.send({ ...count })
})
process.on('disconnect', () => process.exit())
