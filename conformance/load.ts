// Loads the cases from their files, with defaults for what a case leaves out.

import { readdirSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { type Case, type CaseExit, type CaseHook, caseSchema } from './case.js'

export interface FiledCase {
  readonly topic: string
  readonly case: Case
}

const here = (path: string) => new URL(path, import.meta.url)
const readJson = (path: string): unknown => JSON.parse(readFileSync(here(path), 'utf8'))

/** The payload of an event for fields that a case does not set. */
export const DEFAULT_PAYLOADS = readJson('default-payloads.json') as Readonly<
  Record<string, Record<string, unknown>>
>

export const TOPICS: readonly string[] = readdirSync(here('cases'))
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, -'.json'.length))
  .sort()

export const rawCases = (topic: string): unknown[] => readJson(`cases/${topic}.json`) as unknown[]

export const allCases = (): FiledCase[] =>
  TOPICS.flatMap(topic => rawCases(topic).map(one => ({ topic, case: v.parse(caseSchema, one) })))

export const payloadOf = (event: string, payload: Case['payload']): Record<string, unknown> => ({
  ...DEFAULT_PAYLOADS[event],
  ...payload,
})

export const profileOf = (one: Case): string => one.profile ?? 'holdfast'
export const eventOf = (hook: CaseHook, one: Case): string => hook.event ?? one.event

/** The bytes that a hook prints. */
export function bytesOf(printed: CaseExit['stdout'], base64?: string): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  if (printed === undefined) return Buffer.alloc(0)
  if (typeof printed === 'string') return Buffer.from(printed)
  if (!Array.isArray(printed)) return Buffer.from(`${JSON.stringify(printed)}\n`)
  return Buffer.from(
    printed.map(one => (typeof one === 'string' ? one : one.repeat[0].repeat(one.repeat[1]))).join(''),
  )
}
