// The page of all fields of every profile, side by side.

import { EVENT_SPECS } from '../../packages/hooks/src/protocol/events.js'
import {
  eventsUnder,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
} from '../../packages/hooks/src/protocol/profiles.js'
import { differencesIn } from './differences.js'
import { eventLink } from './events-page.js'
import { code, codes, list, page, table } from './markdown.js'

const ALL: readonly Profile[] = PROFILE_NAMES.map(name => PROFILES[name])

interface Words {
  readonly title: string
  /** The values of the field, in words. */
  readonly values?: Readonly<Record<string, string>>
}

const YES_NO = { true: 'yes', false: 'no' }
const POLICY = {
  open: 'the action proceeds',
  policy: 'depends on the entry or the event',
  closed: 'the action is stopped',
}

const WORDS: Readonly<Record<string, Words>> = {
  version: { title: 'Version of the original' },
  common: { title: 'Common fields' },
  'config.keys': { title: 'Supported keys of an entry' },
  'config.pathBase': {
    title: 'Relative paths of project hooks are relative to',
    values: { root: 'the project root', file: 'the folder of hooks.json' },
  },
  'config.reload': {
    title: 'Changed files are read again',
    values: {
      watch: 'at once, deletions too',
      'watch-writes': 'at once, deletions not',
      restart: 'after a restart',
    },
  },
  'run.which': {
    title: 'Which hooks of an event run',
    values: {
      all: 'all',
      'first-only': 'the first of each file',
      'first-valid': 'until one gives a valid response',
    },
  },
  'run.concurrent': { title: 'At the same time', values: YES_NO },
  'run.loops': {
    title: 'Limit of follow-ups',
    values: { 'per-script': '`loop_limit` of each hook', fixed: '5; afterwards no hook runs' },
  },
  'answer.messages': {
    title: 'Spelling of the messages',
    values: { any: 'snake_case; camelCase is accepted', snake: 'snake_case only', camel: 'camelCase only' },
  },
  'answer.decision': {
    title: '`decision` and `reason` are read',
    values: { any: 'everywhere', none: 'nowhere' },
  },
  'answer.exit2': { title: 'Exit code 2 stops the action', values: YES_NO },
  'answer.silence': {
    title: 'Exit code 0 and no output',
    values: { abstain: 'abstains', failure: 'a failure' },
  },
  'answer.textBefore': {
    title: 'Text before the response',
    values: { tolerated: 'is tolerated', voids: 'makes the response invalid' },
  },
  'answer.denyHolds': { title: 'A deny holds despite a failure', values: YES_NO },
  'failure.crash': { title: 'When a hook crashes or times out', values: POLICY },
  'failure.invalid': { title: 'When a response is invalid', values: POLICY },
  'merge.permission': {
    title: 'Which permission counts',
    values: {
      strictest: 'the strictest',
      'highest-source': 'the strictest of the highest source that has one',
    },
  },
  'merge.single': {
    title: 'Value that wins for single-value fields',
    values: { highest: 'of the highest source', last: 'the last' },
  },
  'merge.context': { title: '`additional_context`', values: { all: 'all, in order', last: 'the last' } },
  'merge.rewrites': {
    title: 'An input that a hook rewrote',
    values: {
      judged: 'is judged by the other hooks again, up to three rounds',
      taken: 'runs without another round',
    },
  },
  'merge.silenceLosesContinue': {
    title: '`continue: false` is lost when another hook prints nothing (a bug of that version)',
    values: YES_NO,
  },
}

export const profilesPage = (): string =>
  page(
    '# Profiles',
    'A profile describes everything that differs between versions. `holdfast` is the default of the engine: the documented system, with the safer choice wherever versions disagree. The other profiles are the versions that colleagues may run.',
    list(ALL.map(profile => `${code(profile.name)}: ${profile.summary}`)),
    '## Every difference',
    table(
      ['', ...ALL.map(({ name }) => code(name))],
      [
        ['Events', ...ALL.map(profile => String(eventsUnder(profile).size))],
        ...fieldPaths(PROFILES.holdfast).map(path => [
          titleOf(path),
          ...ALL.map(profile => shown(profile, path)),
        ]),
      ],
    ),
    '## Event by event',
    '"As in holdfast" marks an event that does not differ.',
    table(
      ['event', ...ALL.slice(1).map(({ name }) => code(name))],
      EVENT_SPECS.map(spec => [
        eventLink(spec.name),
        ...ALL.slice(1).map(profile => short(differencesIn(profile, spec))),
      ]),
    ),
  )

const NOT_A_BEHAVIOUR: ReadonlySet<string> = new Set(['name', 'summary', 'events'])

/** `run.which` and so on: every field that can differ. */
export function fieldPaths(profile: Profile): string[] {
  return Object.entries(profile)
    .filter(([key]) => !NOT_A_BEHAVIOUR.has(key))
    .flatMap(([key, value]) =>
      typeof value === 'object' && !Array.isArray(value)
        ? Object.keys(value as object).map(inner => `${key}.${inner}`)
        : [key],
    )
}

const wordsOf = (path: string): Words => {
  const words = WORDS[path]
  if (!words) throw new Error(`scripts/generate/profiles-page.ts has no words for the profile field ${path}.`)
  return words
}

const titleOf = (path: string): string => wordsOf(path).title

function shown(profile: Profile, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], profile)
  if (Array.isArray(value)) return codes(value as string[])
  const words = wordsOf(path).values?.[String(value)]
  if (wordsOf(path).values && !words) throw new Error(`No words for ${path} = ${String(value)}.`)
  return words ?? String(value)
}

const short = (text: string): string =>
  text === 'no difference.'
    ? ''
    : text.startsWith('the event does not exist')
      ? 'not there'
      : text.replace(/\.$/, '')
