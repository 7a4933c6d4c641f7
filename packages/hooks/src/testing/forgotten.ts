// A case begins when it is awaited, so one that nobody awaits tests nothing. It is told of when the process ends.

import { writeSync } from 'node:fs'
import { atEnd } from './ending.js'

const waiting = new Map<object, Error>()
let isListening = false

export const forgotten = {
  add(one: object, from: Error): void {
    waiting.set(one, from)
    if (isListening) return
    isListening = true
    atEnd(tell)
  },
  delete(one: object): void {
    waiting.delete(one)
  },
}

function tell(): void {
  for (const from of waiting.values()) {
    const frame = (from.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))[1] ?? ''
    const place = frame.trim().replace(/^at /, '')
    try {
      writeSync(2, `holdfast: a case was never awaited, so it tested nothing: ${place}\n`)
    } catch {
      // Nobody reads any more.
    }
  }
}
