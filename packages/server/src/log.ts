// One JSON object per line. Values that resemble a secret are never written.

import type { Log } from './team.js'

const SECRET_KEYS = /token|secret|password|cookie|authorization|private|signature/i
const SECRET_VALUES = /\bhf[depi]_[A-Za-z0-9]+_[A-Za-z0-9_-]+/g
const URL_PASSWORD = /(\w+:\/\/[^\s:/@]+:)[^\s@/]+@/g
const LONGEST = 4000

export function openLog(write: (line: string) => void, now: () => number): Log {
  const say =
    (level: string) =>
    (message: string, facts: Record<string, unknown> = {}) => {
      const time = new Date(now()).toISOString()
      write(`${JSON.stringify({ time, level, message: clean(message), ...cleaned(facts) })}\n`)
    }
  return { info: say('info'), warn: say('warn'), error: say('error') }
}

const cleaned = (facts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      SECRET_KEYS.test(key) ? '(hidden)' : typeof value === 'string' ? clean(value) : value,
    ]),
  )

const clean = (text: string): string =>
  text.replace(SECRET_VALUES, '(hidden)').replace(URL_PASSWORD, '$1(hidden)@').slice(0, LONGEST)
