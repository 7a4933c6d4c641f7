// Every event as a line of JSON in a file of the workspace, and as a log record of OpenTelemetry where an address is given.
// Decides nothing.

import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Guard, type Judgement, NOTHING, type Payload } from '../guard.js'
import { redact } from '../secrets/find.js'

const LONGEST = 4096

export const audit: Guard = {
  name: 'audit',
  summary: 'writes every event as a line of JSON, and sends it to OpenTelemetry',
  options: {
    file: {
      type: 'text',
      about: 'the file, from the root of the workspace',
      default: '.holdfast/audit.jsonl',
    },
    otlp: {
      type: 'text',
      about: 'the address of an OTLP receiver, such as http://localhost:4318/v1/logs',
      default: '',
    },
  },
  alternatives: {},
  async judge(payload, options, place): Promise<Judgement> {
    const entry = { time: new Date().toISOString(), ...shortened(payload) }
    const line = JSON.stringify(entry)
    const file = resolve(
      place.root,
      typeof options.file === 'string' && options.file !== '' ? options.file : '.holdfast/audit.jsonl',
    )
    try {
      mkdirSync(dirname(file), { recursive: true })
      // A repository could contain a link from here to a file elsewhere.
      const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
      const target = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
      try {
        // One write, so lines of hooks that run at once do not mix.
        writeSync(target, `${line}\n`)
      } finally {
        closeSync(target)
      }
    } catch (error) {
      // A full disk must not stop the agent.
      process.stderr.write(`holdfast guard audit: the line was not written: ${(error as Error).message}\n`)
    }
    if (typeof options.otlp === 'string' && options.otlp !== '') await send(options.otlp, line, entry.time)
    return NOTHING
  },
}

/** Long texts are cut, and secrets are removed. */
function shortened(payload: Payload): Payload {
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const text = redact(value)
      return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
    }
    if (Array.isArray(value)) return value.slice(0, 100).map(visit)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    return value
  }
  return visit(payload) as Payload
}

/** A receiver that does not answer must not hold up the agent. */
async function send(address: string, line: string, time: string): Promise<void> {
  const record = {
    timeUnixNano: `${Date.parse(time)}000000`,
    severityText: 'INFO',
    body: { stringValue: line },
  }
  const body = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'holdfast' } }] },
        scopeLogs: [{ scope: { name: 'holdfast.audit' }, logRecords: [record] }],
      },
    ],
  }
  try {
    await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2000),
    })
  } catch (error) {
    process.stderr.write(
      `holdfast guard audit: ${address} did not take the record: ${(error as Error).message}\n`,
    )
  }
}
