// fire and explain take the same call: an event, and its fields as flags or as a payload.

import { nearest } from '@holdfast/hooks'
import { EVENT_NAMES, EVENT_SPECS, type EventSpec, findEvent } from '@holdfast/hooks/protocol'
import { Complaint } from './complaint.js'
import { fieldOptions, fieldsOf, flagName, readField, requiredFields, withFlagValues } from './fields.js'
import { type Given, known, noMore, type OptionTable, parse, SHARED } from './options.js'
import { readPayload } from './payload.js'
import { currentFolder } from './workspace.js'

export interface Call {
  readonly given: Given
  readonly spec: EventSpec
  readonly fields: Record<string, unknown>
}

/** Undefined when help was asked for. */
export async function readCall(
  command: string,
  argv: readonly string[],
  own: OptionTable,
): Promise<Call | undefined> {
  const specs = eventsIn(argv)
  const flags = fieldOptions(specs)
  const table = { ...flags, ...SHARED, payload: 'value', ...own } as const
  const given = parse(command, withFlagValues(argv, specs), table, flag => notAField(specs, flag))
  if (given.has('help')) return undefined
  noMore(command, given.positionals, 1)
  const named = given.positionals[0]
  const spec = named === undefined ? undefined : eventNamed(named)
  const from = given.value('payload')
  const payload = from === undefined ? {} : await readPayload(from, currentFolder())
  const event = spec ?? eventOf(payload, command, from)
  const inside = payload.hook_event_name
  if (inside !== undefined && inside !== event.name) {
    throw new Complaint(
      `The payload is for ${JSON.stringify(inside)}, not for ${event.name}. Name the same event in both places.`,
    )
  }
  const fields = { ...payload, ...fromFlags(given, event, Object.keys(flags)) }
  mustBeWhole(event, fields)
  return { given, spec: event, fields }
}

/** The event stands anywhere among its flags, or only in the payload: then it may be any. */
function eventsIn(argv: readonly string[]): readonly EventSpec[] {
  const spec = argv.map(findEvent).find(found => found !== undefined)
  return spec ? [spec] : EVENT_SPECS
}

const eventNamed = (name: string): EventSpec => findEvent(known('event', name, EVENT_NAMES))!

function eventOf(payload: Record<string, unknown>, command: string, from: string | undefined): EventSpec {
  const name = payload.hook_event_name
  if (typeof name === 'string') return eventNamed(name)
  throw new Complaint(
    from === undefined
      ? `${command} needs an event, for example: holdfast ${command} beforeShellExecution --command "ls"`
      : `The payload has no "hook_event_name". Name the event: holdfast ${command} <event> --payload ${from}`,
  )
}

function fromFlags(given: Given, spec: EventSpec, flags: readonly string[]): Record<string, unknown> {
  const known = fieldsOf(spec)
  const fields: Record<string, unknown> = {}
  for (const flag of flags) {
    const text = given.value(flag)
    if (text === undefined) continue
    const name = flag.replaceAll('-', '_')
    const field = known.get(name)
    if (!field) throw new Complaint(fieldWords(spec, flag))
    fields[name] = readField(flag, field, text)
  }
  return fields
}

/** A flag that another event has is not a typing error. */
function notAField(specs: readonly EventSpec[], flag: string): string | undefined {
  const name = flag.replaceAll('-', '_')
  const [spec] = specs
  const isField = EVENT_SPECS.some(({ payload }) => Object.hasOwn(payload, name))
  return spec && specs.length === 1 && isField ? fieldWords(spec, flag) : undefined
}

function fieldWords(spec: EventSpec, flag: string): string {
  const own = Object.keys(spec.payload).map(name => `--${flagName(name)}`)
  const meant = nearest(flag, Object.keys(spec.payload).map(flagName))
  const has = own.length > 0 ? `It has ${own.join(', ')}.` : 'It has none of its own.'
  return `${spec.name} has no field --${flag}. ${meant ? `Did you mean --${meant}?` : has}`
}

/** Said here and not by the engine, so that it is said in flags. */
function mustBeWhole(spec: EventSpec, fields: Record<string, unknown>): void {
  const spellings = Object.entries(spec.accepts ?? {})
  const missing = requiredFields(spec).filter(
    name =>
      fields[name] === undefined &&
      !spellings.some(([old, today]) => today === name && fields[old] !== undefined),
  )
  if (missing.length === 0) return
  const flags = missing.map(name => `--${flagName(name)}`).join(' and ')
  throw new Complaint(`${spec.name} needs ${flags}. Give it as a flag, or in --payload FILE.`)
}
