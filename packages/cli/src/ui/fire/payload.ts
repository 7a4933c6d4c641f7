// The payload from a page: fields for the engine, or problems with their positions.

import { nearest } from '@holdfast/hooks'
import { acceptFields, type EventSpec, findEvent, payloadSchema } from '@holdfast/hooks/protocol'
import { getNodeValue } from 'jsonc-parser'
import { type Document, isProblem, nodeAt, openDocument, placeOf } from '../../edit/jsonc.js'
import type { ProblemShape } from '../problems.js'
import { wrong } from '../refusals.js'

export interface Payload {
  readonly spec: EventSpec
  readonly fields: Record<string, unknown>
  readonly problems: readonly ProblemShape[]
  /** Whether the engine would accept it. */
  readonly isFit: boolean
}

export function readPayload(event: string, text: string): Payload {
  const spec = findEvent(event)
  if (!spec) throw wrong(`There is no event "${event}".`)
  const document = openSafely(text)
  if (isProblem(document)) {
    const { line, column, message } = document
    return unfit(spec, [problem('payload/syntax', line, column, '', `This is not JSON: ${message}.`)])
  }
  const value: unknown = getNodeValue(document.root)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return unfit(spec, [problem('payload/not-object', 1, 1, '', 'The payload must be a JSON object.')])
  }
  const fields = value as Record<string, unknown>
  const problems = [...eventProblems(spec, fields, document), ...fieldProblems(spec, fields, document)]
  const isFit = problems.every(({ severity }) => severity !== 'error')
  return { spec, fields, problems, isFit }
}

const unfit = (spec: EventSpec, problems: readonly ProblemShape[]): Payload => ({
  spec,
  fields: {},
  problems,
  isFit: false,
})

/** Endlessly nested brackets are not a document. */
function openSafely(text: string): ReturnType<typeof openDocument> {
  try {
    return openDocument(text)
  } catch {
    return { line: 1, column: 1, message: 'it is nested too deeply' }
  }
}

function eventProblems(
  { name }: EventSpec,
  { hook_event_name: inside }: Record<string, unknown>,
  document: Document,
): ProblemShape[] {
  if (inside === undefined || inside === name) return []
  const message = `The payload is for ${JSON.stringify(inside)}, not for ${name}.`
  return [at(document, 'hook_event_name', 'error', 'payload/event', message, `Write "${name}", or omit it.`)]
}

function fieldProblems(spec: EventSpec, fields: Record<string, unknown>, document: Document): ProblemShape[] {
  const accepted = acceptFields(spec, fields)
  const bad = (accepted.ok ? [] : accepted.problems).map(({ path, message }) =>
    at(document, path, 'error', 'payload/field', message, ''),
  )
  const known = [...Object.keys(payloadSchema(spec).entries), ...Object.keys(spec.accepts ?? {})]
  const strange = Object.keys(fields)
    .filter(name => !known.includes(name) && name !== 'hook_event_name')
    .map(name => {
      const meant = nearest(name, known)
      const hint = meant ? `Did you mean ${meant}?` : 'Hooks receive it anyway.'
      return at(document, name, 'warning', 'payload/unknown', `${spec.name} has no field "${name}".`, hint)
    })
  return [...bad, ...strange]
}

/** The position of the field, or of the nearest parent that exists. */
function at(
  document: Document,
  path: string,
  severity: string,
  code: string,
  message: string,
  hint: string,
): ProblemShape {
  const steps = path.split('.')
  let node = nodeAt(document, steps)
  while (!node && steps.pop() !== undefined) node = nodeAt(document, steps)
  const { line, column } = placeOf(document.text, node?.offset ?? 0)
  return { ...problem(code, line, column, path, message), severity, hint }
}

const problem = (
  code: string,
  line: number,
  column: number,
  path: string,
  message: string,
): ProblemShape => ({ code, severity: 'error', file: '', line, column, path, message, hint: '' })
