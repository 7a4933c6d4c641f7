// The steps of a case: events, loops, and changes of the workspace between them.

import { nearest } from '@holdfast/hooks'
import {
  type AnyFields,
  acceptFields,
  EVENT_NAMES,
  type EventSpec,
  findEvent,
  PROFILE_NAMES,
  type ProfileName,
  payloadSchema,
} from '@holdfast/hooks/protocol'
import { completePayload } from '@holdfast/hooks/testing'
import type { EventStep, Expectation, Step } from './cases.js'
import { readExpectation, readStrings, readWhole } from './expectation.js'
import { insidePath } from './paths.js'
import { readFileTexts, readModel } from './setting.js'
import { instead, type Mapping, quoted, type TestSource, type Tree } from './yaml.js'

export const EVENT_KEYS = ['event', 'payload', 'expect', 'in', 'model says']
const LOOP_KEYS = ['loop', 'payload', 'expect', 'in', 'model says', 'at most', 'until file', 'between']
const WORK_KEYS = ['write', 'remove', 'run']
/** The keys that determine the kind of a step. */
const KINDS = ['event', 'loop', ...WORK_KEYS]

/** No hook is meant to run longer; an endless one must end. */
const LOOPS_AT_MOST = 20

export function readSteps(source: TestSource, node: Tree, what: string): readonly Step[] {
  const list = source.list(node, what)
  if (list?.length === 0) source.complain(node, `${what} is an empty list.`)
  return (list ?? []).flatMap(item => readStep(source, item, what) ?? [])
}

function readStep(source: TestSource, node: Tree, what: string): Step | undefined {
  const all = source.mapping(node, 'A step')
  if (!all) return undefined
  const kinds = KINDS.filter(kind => all.has(kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    const known = [...new Set([...KINDS, ...EVENT_KEYS, ...LOOP_KEYS])]
    const odd = all.entries().find(([name]) => !known.includes(name))
    if (odd) return source.complain(odd[2], `A step has no key "${odd[0]}". ${instead(odd[0], known)}`)
    const found = kinds.length > 1 ? `both ${kinds.join(' and ')}` : 'none of them'
    return source.complain(
      node,
      `A step has one of event, loop, write, remove and run; this one has ${found}.`,
    )
  }
  if (kind === 'loop' && what === 'between')
    return source.complain(node, 'A loop cannot be inside another one.')
  if (kind === 'event' || kind === 'loop') {
    const keys = kind === 'event' ? EVENT_KEYS : LOOP_KEYS
    const mapping = source.keyed(node, kind === 'event' ? 'An event' : 'A loop', keys)!
    return readEvent(source, mapping, kind)
  }
  source.keyed(node, 'A step', [kind])
  return readWork(source, all, kind)
}

function readWork(source: TestSource, mapping: Mapping, kind: string): Step | undefined {
  const { line } = source.place(mapping.node)
  const node = mapping.get(kind)
  if (kind === 'write') return { kind, line, files: readFileTexts(source, node, kind) }
  if (kind === 'run') {
    const command = source.text(node, kind)
    return command === undefined ? undefined : { kind, line, command }
  }
  const isOne = typeof source.value(node) === 'string'
  const paths = isOne ? [source.text(node, kind)!] : (readStrings(source, node, kind) ?? [])
  return { kind: 'remove', line, paths: paths.flatMap(path => insidePath(source, node, path) ?? []) }
}

export function readEvent(
  source: TestSource,
  mapping: Mapping,
  kind: 'event' | 'loop',
): EventStep | undefined {
  if (!mapping.has(kind) && mapping.isStrange) return undefined
  if (!mapping.has(kind))
    return source.complain(mapping.node, 'This case has neither "event:" nor "session:".')
  const event = source.word(mapping.get(kind), kind, EVENT_NAMES)
  const spec = event && findEvent(event)
  if (!spec) return undefined
  if (kind === 'loop' && spec.loop !== 'counts') {
    return source.complain(mapping.get(kind), `${event} has no follow-ups, so it cannot loop.`)
  }
  const expect = mapping.has('expect') ? readExpectation(source, mapping.get('expect'), spec, kind) : {}
  const atMost = mapping.has('at most') ? readWhole(source, mapping.get('at most'), 'at most') : undefined
  const until = mapping.has('until file') ? source.text(mapping.get('until file'), 'until file') : undefined
  return {
    kind,
    line: source.place(mapping.node).line,
    event,
    payload: mapping.has('payload') ? readPayload(source, mapping.get('payload'), spec) : {},
    model: readModel(source, mapping.get('model says')),
    expect,
    in: readVersions(source, mapping.get('in'), spec, kind),
    atMost: atMost ?? LOOPS_AT_MOST,
    untilFile: until === undefined ? undefined : insidePath(source, mapping.get('until file'), until),
    between: mapping.has('between') ? readSteps(source, mapping.get('between'), 'between') : [],
  }
}

function readVersions(
  source: TestSource,
  node: Tree,
  spec: EventSpec,
  kind: 'event' | 'loop',
): Partial<Record<ProfileName, Expectation>> {
  if (source.isNull(node)) return {}
  const mapping = source.keyed(node, 'in', PROFILE_NAMES)
  const known = (mapping?.entries() ?? []).filter(([name]) => PROFILE_NAMES.includes(name as ProfileName))
  return Object.fromEntries(known.map(([name, value]) => [name, readExpectation(source, value, spec, kind)]))
}

/** A field that no version sends is a typing error; the value of the sample would replace it. */
function readPayload(source: TestSource, node: Tree, spec: EventSpec): AnyFields {
  if (source.isNull(node)) return {}
  const accepts = Object.keys(spec.accepts ?? {})
  const own = Object.keys(spec.payload)
  const known = [...new Set([...own, ...Object.keys(payloadSchema(spec).entries)])]
  const mapping = source.mapping(node, 'payload')
  if (!mapping) return {}
  for (const [name, , key] of mapping.entries()) {
    if (known.includes(name) || accepts.includes(name)) continue
    const next = nearest(name, known)
      ? instead(name, known)
      : `It has ${own.join(', ') || 'none of its own'}.`
    source.complain(key, `${spec.name} has no field ${quoted(name)}. ${next}`)
  }
  const payload = source.value(node) as AnyFields
  const accepted = acceptFields(spec, completePayload(spec.name, payload, '/project'))
  for (const { path, message } of accepted.ok ? [] : accepted.problems) {
    const [field = ''] = path.split('.')
    source.complain(mapping.get(field) ?? node, message)
  }
  return payload
}
