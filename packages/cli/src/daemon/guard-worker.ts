// A thread of the daemon in which guards judge large payloads. One that takes too long to parse blocks this thread only.

import { parentPort } from 'node:worker_threads'
import { type GuardPlace, judge } from '../guards/guard.js'

export interface GuardCall {
  readonly id: number
  readonly name: string
  readonly text: string
  readonly place: GuardPlace
}

export type GuardReply = { readonly id: number } & Awaited<ReturnType<typeof judge>>

parentPort!.on('message', async ({ id, name, text, place }: GuardCall) => {
  const reply: GuardReply = { id, ...(await judge(name, text, place)) }
  parentPort!.postMessage(reply)
})
