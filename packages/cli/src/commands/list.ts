// holdfast list: every configured hook by event, whether it can run, and when it last did.

import { join } from 'node:path'
import { discover } from '@holdfast/hooks'
import { noteOnEvidence } from '@holdfast/hooks/bridges'
import {
  type Catalog,
  EVENT_NAMES,
  type EventName,
  type EventSpec,
  eventsUnder,
  findEvent,
  findProfile,
  type HookDefinition,
  type Profile,
} from '@holdfast/hooks/protocol'
import { type Given, value } from '../arguments.js'
import { discoverOptions, mistakeIn, nothingFound, sourcesOf } from '../catalog.js'
import type { Command } from '../command.js'
import { isExpired, optionsFile, readAllowRules } from '../guards/options.js'
import { ago, type History, readHistory, saidWord } from '../history.js'
import { type Installed, installations, type Stale, staleInstalls } from '../install/stale.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { place } from '../print/place.js'
import { POLICY_WORDS, policyOf } from '../print/policy.js'
import { indented, type Row, renderEach } from '../print/rows.js'
import { isNarrow, print, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count, duration, pattern, shortHook, toTenth } from '../print/words.js'
import { type Workspace, workspaceOf } from '../workspace.js'

interface ListedHook {
  readonly hook: HookDefinition
  readonly spec: EventSpec
  readonly profile: Profile
}

export const command: Command = {
  name: 'list',
  summary: 'List all hooks, whether they can run, and when they last ran',
  options: [
    { options: { event: value('NAME', 'only this event', { values: EVENT_NAMES }) } },
    WORKSPACE,
    OUTPUT,
  ],
  exitCodes: {
    0: 'listed; entries with errors can be missing',
    1: 'a file cannot be read, or the call is wrong',
  },
  examples: ['holdfast list', 'holdfast list --event beforeShellExecution', 'holdfast list --json'],
  run,
}

async function run(given: Given): Promise<number> {
  const event = given.value('event') as EventName | undefined
  const workspace = workspaceOf(given)
  const catalog = await discover(discoverOptions(workspace))
  const profile = findProfile(workspace.profile)!
  const hooks = listed(catalog, profile, event)
  const history = readHistory(
    workspace.logFile,
    hooks.map(({ hook }) => hook),
  )
  const dropped = catalog.layers.reduce((sum, layer) => sum + layer.dropped, 0)
  const failed = catalog.layers.filter(({ state }) => state === 'failed')
  const not_loaded = failed.map(({ source }) => source.file)
  const has = (name: EventName) => (catalog.byEvent.get(name) ?? []).length > 0
  const exceptions = event === undefined ? exceptionsOf(workspace) : []
  const installed = event === undefined ? installations(workspace) : []
  const outdated = staleInstalls(workspace, { has, catalog: () => catalog }, installed)
  const unproven = installed.filter(({ place }) => noteOnEvidence(place.bridge) !== null)
  if (given.has('json'))
    printJson({
      hooks: hooks.map(one => hookJson(one, history)),
      dropped,
      not_loaded,
      exceptions,
      outdated_installs: outdated.map(staleJson),
      unproven_installs: unproven.map(({ place: { bridge, level, file } }) => ({
        agent: bridge.name,
        level,
        file,
      })),
    })
  else if (catalog.layers.every(({ state }) => state === 'absent')) {
    print(nothingFound(catalog.layers, workspace) + exceptionsText(exceptions, workspace.screen))
  } else
    print(
      report(hooks, catalog, dropped, history, outdated, workspace.screen) +
        unprovenText(unproven, workspace.screen) +
        exceptionsText(exceptions, workspace.screen),
    )
  return failed.length > 0 ? 1 : 0
}

function unprovenText(unproven: readonly Installed[], screen: Screen): string {
  const lines = unproven.flatMap(({ place: { bridge } }) =>
    indented({ text: `Installed in ${bridge.title}. ${noteOnEvidence(bridge)}` }, 2, screen.columns),
  )
  return lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
}

/** The allow rules of the user and of the projects. */
function exceptionsOf({ roots, home }: Workspace) {
  const files = new Set([...roots, join(home, '.cursor')].map(optionsFile))
  return [...files].flatMap(file =>
    readAllowRules(file).map(rule => ({ ...rule, file, expired: isExpired(rule, Date.now()) })),
  )
}

function exceptionsText(exceptions: ReturnType<typeof exceptionsOf>, screen: Screen): string {
  if (exceptions.length === 0) return ''
  const lines = exceptions.map(({ rule, command, reason, expires, expired }) => {
    const until = expired ? screen.amber(`ended ${expires}`) : `until ${expires}`
    return `  ${rule}   ${command === undefined ? 'every command' : visible(command)}   ${until}   ${visible(reason)}`
  })
  return `  ${screen.bold('Exceptions of guards')}\n${lines.join('\n')}\n\n`
}

function listed(catalog: Catalog, profile: Profile, only: EventName | undefined): ListedHook[] {
  const specs = eventsUnder(profile)
  return EVENT_NAMES.filter(name => only === undefined || name === only).flatMap(name =>
    (catalog.byEvent.get(name) ?? []).map(hook => ({
      hook,
      spec: specs.get(name) ?? findEvent(name)!,
      profile,
    })),
  )
}

const stateOf = ({ trusted, matcher }: HookDefinition): 'ready' | 'untrusted' | 'invalid' =>
  !trusted ? 'untrusted' : matcher.kind === 'invalid' ? 'invalid' : 'ready'

function report(
  hooks: readonly ListedHook[],
  catalog: Catalog,
  dropped: number,
  history: History,
  outdated: readonly Stale[],
  screen: Screen,
): string {
  const events = [...new Set(hooks.map(({ hook }) => hook.event))]
  // One table for all events aligns the columns.
  const rendered = renderEach(
    hooks.map(one => row(one, history, screen)),
    isNarrow(screen) ? NARROW : WIDE,
    screen.columns - INDENT.length,
  )
  const blocks = events.map(event => [
    `  ${screen.bold(event)}`,
    ...rendered.filter((_, index) => hooks[index]!.hook.event === event).flatMap(lines => lines.map(indent)),
  ])
  const failed = catalog.layers.filter(({ state }) => state === 'failed')
  const left = dropped === 1 ? '1 entry was skipped' : `${dropped} entries were skipped`
  const loaded = catalog.layers.filter(layer => !failed.includes(layer))
  blocks.push([
    ...(hooks.length > 0 || failed.length === 0
      ? [`  ${count(hooks.length, 'hook')} on ${count(events.length, 'event')} from ${sourcesOf(loaded)}`]
      : []),
    ...(dropped > 0 ? [`  ${screen.amber(left)}; see: holdfast check`] : []),
    ...failed.map(layer => `  ${screen.red('not loaded')}: ${mistakeIn(layer, screen)}; see: holdfast check`),
    ...(hooks.some(({ hook }) => hook.mode === 'observe')
      ? ['  A hook in audit mode runs and is recorded; its response has no effect.']
      : []),
    ...(hooks.some(({ hook }) => !hook.trusted)
      ? [`  ${screen.amber('untrusted')} hooks do not run; review them with: holdfast trust`]
      : []),
    ...outdated.flatMap(({ place, message, fix }) =>
      indented({ text: `Outdated in ${place.bridge.title}: ${message}. ${fix}` }, 2, screen.columns).map(
        line => line.replace('Outdated', screen.amber('Outdated')),
      ),
    ),
  ])
  return `\n${blocks.map(block => block.join('\n')).join('\n\n')}\n\n`
}

const WIDE = [{}, { share: 0.3 }, { share: 0.2 }, { right: true }, {}, {}]
const NARROW = [{}, { share: 0.4 }, { share: 0.2 }, {}]
const INDENT = '  '
const indent = (line: string) => INDENT + line

function row({ hook, spec, profile }: ListedHook, history: History, screen: Screen): Row {
  const { dim, amber, red } = screen
  const state = stateOf(hook)
  const limit = `${hook.timeoutMs / 1000} s`
  const policy = hook.mode === 'observe' ? 'observes' : POLICY_WORDS[policyOf(hook, spec, profile).effect]
  const last = history.lastRunOf(hook)
  const ran = last
    ? `${ago(last.time, Date.now())}: ${saidWord(last)} in ${duration(last.duration_ms)}`
    : 'never ran'
  const where = place(hook.file, hook.line, screen)
  const narrow = isNarrow(screen)
  return {
    cells: [
      { text: hook.source },
      { text: shortHook(hook) },
      { text: pattern(hook.matcher) ?? '*', ...(hook.matcher.kind === 'all' ? { style: dim } : {}) },
      ...(narrow ? [] : [{ text: limit, style: dim }, { text: policy }]),
      { text: state, style: state === 'untrusted' ? amber : state === 'invalid' ? red : dim },
    ],
    below: [
      ...(narrow ? [{ text: `${limit} · ${policy}`, style: dim }] : []),
      { text: `${where} · ${ran}`, style: dim },
      ...(hook.gap === undefined
        ? []
        : [{ text: `not fully covered by trust: ${visible(hook.gap)}`, style: amber }]),
    ],
  }
}

const staleJson = ({ place, message, fix }: Stale) => ({
  agent: place.bridge.name,
  level: place.level,
  file: place.file,
  message,
  fix,
})

function hookJson({ hook, spec, profile }: ListedHook, history: History) {
  const last = history.lastRunOf(hook)
  return {
    event: hook.event,
    source: hook.source,
    hook: hook.name,
    type: hook.type,
    mode: hook.mode,
    matcher: hook.matcher.kind === 'all' ? null : hook.matcher.text,
    timeout_ms: hook.timeoutMs,
    fail_closed: hook.failClosed ?? null,
    on_failure: policyOf(hook, spec, profile).effect,
    loop_limit: spec.loop === 'counts' ? hook.loopLimit : null,
    file: hook.file,
    line: hook.line,
    state: stateOf(hook),
    not_covered: hook.gap ?? null,
    last_run: last
      ? {
          time: last.time,
          outcome: last.outcome,
          permission: last.permission,
          failed_open: last.failed_open,
          duration_ms: toTenth(last.duration_ms),
        }
      : null,
  }
}
