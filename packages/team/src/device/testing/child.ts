// For tests: a process of its own that does one thing on a device, and can be killed at any step of it.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { aroundOf, fetchThrough, sendRecords, sync } from '../index.js'

interface Orders {
  readonly home: string
  readonly teamId: string
  readonly now: number
  readonly what: 'fetch' | 'sync' | 'sync forever' | 'send' | 'send forever' | 'write'
  /** Before the step of this number, from 1. */
  readonly dieAt?: number
  /** Excludes steps that only sync from the count for dieAt. */
  readonly withoutSyncs?: boolean
  readonly umask?: number
  readonly name?: string
  readonly url?: string
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders
if (orders.umask !== undefined) process.umask(orders.umask)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const steps: string[] = []
let counted = 0
const around = aroundOf({
  clientVersion: '1',
  home: orders.home,
  now: () => orders.now,
  onStep: step => {
    steps.push(step)
    if (orders.withoutSyncs && step.startsWith('sync ')) return
    counted++
    if (counted === orders.dieAt) process.kill(process.pid, 'SIGKILL')
  },
})

async function main(): Promise<void> {
  switch (orders.what) {
    case 'fetch':
      return fetched(orders.url!)
    case 'sync':
      return void say({ result: await sync(around, orders.teamId), steps })
    case 'send':
      return void say({ result: await sendRecords(around, orders.teamId, { urgent: true }), steps })
    case 'sync forever':
      say('ready')
      for (;;) say((await sync(around, orders.teamId)).kind)
    case 'send forever':
      say('ready')
      for (;;) say((await sendRecords(around, orders.teamId, { urgent: true })).sent)
    case 'write':
      return write()
  }
}

/** As the engine does: one write for one record. Bytes that were written to stdout remain. */
async function write(): Promise<void> {
  const file = join(orders.home, '.cursor', 'managed', `team_${orders.teamId}`, 'queue', 'active.jsonl')
  for (let count = 0; ; count++) {
    const id = `${orders.name}-${count}`
    const time = new Date(orders.now).toISOString()
    appendFileSync(file, `${JSON.stringify({ id, time, text: 'x'.repeat(count % 500) })}\n`)
    say(id)
    if (count % 20 === 0) await new Promise(resolve => setTimeout(resolve, 1))
  }
}

async function fetched(url: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  const response = fetchThrough(url, { method: 'GET', headers: new Headers(), redirect: 'manual', signal })
  say(
    await response
      .then(async one => [one.status, await one.text()])
      .catch(error => String(error.cause ?? error)),
  )
}

void main()
