// Shared by fire and explain: an event, with its fields as flags or as a payload.

import { nearest } from '@holdfast/hooks'
import { EVENT_NAMES, EVENT_SPECS, type EventSpec, findEvent } from '@holdfast/hooks/protocol'
import { type Given, type OptionTable, oneOf, value } from './arguments.js'
import type { Argument, ExtendedCall, OptionSection } from './command.js'
import { fieldOptions, fieldsOf, flagName, readField, requiredFields, withFlagValues } from './fields.js'
import { readPayload } from './payload.js'
import { UsageError } from './usage-error.js'
import { currentFolder } from './workspace.js'

export interface Call {
  readonly given: Given
  readonly spec: EventSpec
  readonly fields: Record<string, unknown>
}

export const EVENT_ARGUMENT: Argument = {
  name: 'event',
  summary: 'name of the event (default: hook_event_name of the payload)',
  isOptional: true,
  values: EVENT_NAMES,
}

/** The fields themselves are options, too: see withFields. */
export const FIELDS: OptionSection = {
  title: 'Fields of the event',
  options: {
    payload: value(
      'FILE',
      'read the fields from a JSON file, or from stdin with -. Each field is also an option that overrides the payload, with - for _: --command TEXT, --file-path PATH, --tool-name NAME, --tool-input JSON, --prompt TEXT and so on. See: holdfast schema payload <event>',
    ),
  },
}

/** The fields of the event, or of all events if the call names none, are options. */
export function withFields(argv: readonly string[], table: OptionTable): ExtendedCall {
  const specs = eventsIn(argv)
  return {
    argv: withFlagValues(argv, specs),
    table: { ...fieldOptions(specs), ...table },
    explain: flag => notAField(specs, flag),
  }
}

export async function readCall(command: string, given: Given): Promise<Call> {
  const named = given.positionals[0]
  const spec = named === undefined ? undefined : eventNamed(named)
  const from = given.value('payload')
  const payload = from === undefined ? {} : await readPayload(from, currentFolder())
  const event = spec ?? eventOf(payload, command, from)
  const inside = payload.hook_event_name
  if (inside !== undefined && inside !== event.name) {
    throw new UsageError(
      `The payload is for ${JSON.stringify(inside)}, not for ${event.name}. Name the same event in both places.`,
    )
  }
  const fields = { ...payload, ...fromFlags(given, event) }
  mustBeWhole(event, fields)
  return { given, spec: event, fields }
}

/** The event may be anywhere among its flags, or only in the payload; then it may be any event. */
function eventsIn(argv: readonly string[]): readonly EventSpec[] {
  const spec = argv.map(findEvent).find(found => found !== undefined)
  return spec ? [spec] : EVENT_SPECS
}

const eventNamed = (name: string): EventSpec => findEvent(oneOf('event', name, EVENT_NAMES))!

function eventOf(payload: Record<string, unknown>, command: string, from: string | undefined): EventSpec {
  const name = payload.hook_event_name
  if (typeof name === 'string') return eventNamed(name)
  throw new UsageError(
    from === undefined
      ? `${command} needs an event, for example: holdfast ${command} beforeShellExecution --command "ls"`
      : `The payload has no "hook_event_name". Name the event: holdfast ${command} <event> --payload ${from}`,
  )
}

function fromFlags(given: Given, spec: EventSpec): Record<string, unknown> {
  const known = fieldsOf(spec)
  const fields: Record<string, unknown> = {}
  for (const flag of Object.keys(fieldOptions(EVENT_SPECS))) {
    const text = given.value(flag)
    if (text === undefined) continue
    const name = flag.replaceAll('-', '_')
    const field = known.get(name)
    if (!field) throw new UsageError(fieldWords(spec, flag))
    fields[name] = readField(flag, field, text)
  }
  return fields
}

/** A flag of another event is not a typing error. */
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

/** Checked here and not by the engine, so that the message names flags. */
function mustBeWhole(spec: EventSpec, fields: Record<string, unknown>): void {
  const spellings = Object.entries(spec.accepts ?? {})
  const missing = requiredFields(spec).filter(
    name =>
      fields[name] === undefined &&
      !spellings.some(([old, today]) => today === name && fields[old] !== undefined),
  )
  if (missing.length === 0) return
  const flags = missing.map(name => `--${flagName(name)}`).join(' and ')
  throw new UsageError(`${spec.name} needs ${flags}. Give it as a flag, or in --payload FILE.`)
}
