// Devices of a simulated fleet, many in one process. Each polls over its own connection with the requests of the device
// client, and reports after every new release. team/fleet.mjs starts this program and sends its orders over IPC.

import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  GetTeamHooksRequestSchema,
  GetTeamHooksResponseSchema,
  RenewTokenResponseSchema,
  ReportRequestSchema,
  readLease,
  readRelease,
  sha256,
} from '@holdfast/team'

const md5 = text => createHash('md5').update(text).digest('hex')
const SERVICE = '/holdfast.team.v1.DeviceService'
const HEAD_END = Buffer.from('\r\n\r\n')
/** The same as packages/team/src/device/waits.ts. */
const AFTER_LOSS_MS = 30_000
const HOLD_SECONDS = 50
/** So many responses are parsed in full, to check that they are for the device that receives them. */
const CHECKED_SHARE = 0.01

const count = { polls: 0, unchanged: 0, taken: 0, reported: 0, failed: 0, wrong: 0, connected: 0 }
const devices = []
let round = 0

/** The state after taking an offer; devices with the same etag share it. */
const states = new Map()
const NOTHING = stateAfter({ trustVersion: 0, haveSha256: [], etag: '', release: 0, releaseHash: '' })

function stateAfter({ trustVersion, haveSha256, etag, release, releaseHash }) {
  const request = create(GetTeamHooksRequestSchema, { trustVersion, haveSha256, waitSeconds: HOLD_SECONDS })
  const message = Buffer.from(toBinary(GetTeamHooksRequestSchema, request)).toString('base64url')
  const facts = { name: 'laptop', osVersion: '6.1', clientVersion: '1.0.0' }
  const state = release > 0 ? 'in_sync' : 'no_bundle'
  const report = create(ReportRequestSchema, { facts, release, releaseHash, trustVersion, state })
  return {
    path: `${SERVICE}/GetTeamHooks?connect=v1&encoding=proto&base64=1&message=${message}`,
    etag,
    report: Buffer.from(toBinary(ReportRequestSchema, report)),
  }
}

const parse = (body, isGzip) => fromBinary(GetTeamHooksResponseSchema, isGzip ? gunzipSync(body) : body)

function learn(etag, answer) {
  const read = answer.release && readRelease(answer.release.payload)
  const state = stateAfter({
    // The first response brings the first version, and the bench rotates no keys.
    trustVersion: 1,
    haveSha256: read?.ok ? read.value.hooks.flatMap(({ sha256 }) => sha256 ?? []).slice(0, 60) : [],
    etag,
    release: read?.ok ? read.value.release : 0,
    releaseHash: answer.release ? sha256(answer.release.payload) : '',
  })
  states.set(etag, state)
  return state
}

class Device {
  state = NOTHING
  took = 0
  wantsRenewal = false
  received = null
  onResponse = () => {}

  constructor(index, urls) {
    this.id = index.toString(16).padStart(32, '0')
    this.token = `hfd_${index.toString(16).padStart(16, '0')}_${md5(`${index}`)}${md5(`${index}x`)}`
    this.port = Number(new URL(urls[index % urls.length]).port)
    // One address does not have enough ports.
    this.address = `127.0.0.${2 + (index % 8)}`
  }

  open() {
    this.received = null
    const socket = connect({ port: this.port, host: '127.0.0.1', localAddress: this.address, noDelay: true })
    this.socket = socket
    let isOpen = false
    socket.on('connect', () => {
      isOpen = true
      count.connected++
      this.poll()
    })
    socket.on('data', bytes => this.read(bytes))
    socket.on('error', () => {})
    socket.on('close', () => {
      if (isOpen) count.connected--
      setTimeout(() => this.open(), Math.random() * AFTER_LOSS_MS)
    })
  }

  send(line, headers, body = '') {
    const head = `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${this.token}\r\nconnect-protocol-version: 1\r\naccept: application/proto\r\naccept-encoding: gzip, deflate\r\n${headers}\r\n`
    this.socket.cork()
    this.socket.write(head, 'latin1')
    if (body.length > 0) this.socket.write(body)
    this.socket.uncork()
  }

  poll() {
    count.polls++
    const { path, etag } = this.state
    this.send(`GET ${path}`, etag ? `if-none-match: ${etag}\r\n` : '')
    this.onResponse = (status, head, body) => {
      if (status === 200) return this.take(head, body)
      if (status === 304) count.unchanged++
      else count.failed++
      if (this.wantsRenewal) {
        this.wantsRenewal = false
        return this.post('RenewToken', '', renewed => {
          this.token = fromBinary(RenewTokenResponseSchema, renewed).token
          this.poll()
        })
      }
      if (status === 304) this.poll()
      else setTimeout(() => this.poll(), 1000 + Math.random() * 5000)
    }
  }

  take(head, body) {
    const etag = /^etag: (.*)$/im.exec(head)[1].trim()
    const known = states.get(etag)
    if (!known || Math.random() < CHECKED_SHARE) {
      const answer = parse(body, /^content-encoding: gzip/im.test(head))
      const lease = readLease(answer.lease.payload)
      if (!lease.ok || lease.value.device_id !== this.id) count.wrong++
      this.state = known ?? learn(etag, answer)
    } else this.state = known
    if (this.took < round) count.taken++
    this.took = round
    this.post('Report', this.state.report, () => {
      count.reported++
      this.poll()
    })
  }

  post(method, body, next) {
    const headers = `content-type: application/proto\r\ncontent-length: ${body.length}\r\n`
    this.send(`POST ${SERVICE}/${method}`, headers, body)
    this.onResponse = (status, _head, received) => {
      if (status === 200) return next(received)
      count.failed++
      setTimeout(() => this.poll(), 1000 + Math.random() * 5000)
    }
  }

  read(bytes) {
    this.received = this.received ? Buffer.concat([this.received, bytes]) : bytes
    const end = this.received.indexOf(HEAD_END)
    if (end === -1) return
    const head = this.received.latin1Slice(0, end)
    const body = this.received.subarray(end + HEAD_END.length)
    const status = Number(head.slice(9, 12))
    const length = /^content-length: (\d+)/im.exec(head)
    const isComplete =
      status === 304 ||
      (length ? body.length >= Number(length[1]) : body.subarray(-5).toString('latin1') === '0\r\n\r\n')
    if (!isComplete) return
    this.received = null
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
    count.reported = 0
  }
  if (order.renew) for (const device of devices.slice(0, order.renew)) device.wantsRenewal = true
  process.send({ ...count })
})
process.on('disconnect', () => process.exit())
