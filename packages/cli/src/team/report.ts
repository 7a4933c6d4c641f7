// The status of a team on this machine, as text.

import type { SignedHook } from '@holdfast/team'
import type { Expiring, Problem, SyncResult, TeamStatus } from '@holdfast/team/device'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: 'Windows', darwin: 'Macintosh' }

export function hooksText(hooks: readonly SignedHook[], platform: NodeJS.Platform, screen: Screen): string {
  const system = SYSTEMS[platform] ?? 'Linux'
  const own = hooks.filter(
    ({ operating_systems: all }) => all.length === 0 || (all as readonly string[]).includes(system),
  )
  const rows = own.map(
    (hook): Row => ({
      cells: [
        { text: hook.hook_step },
        { text: visible(hook.script_name ?? 'prompt') },
        {
          text: hook.mode === 'observe' ? 'observes' : 'enforces',
          style: hook.mode === 'observe' ? screen.dim : undefined,
        } as never,
      ],
      text: { text: visible(hook.name), style: screen.dim },
    }),
  )
  return rows.length === 0 ? '' : `\n${renderRows(rows, [{}, {}, {}], screen.columns).join('\n')}\n\n`
}

const STATES: Readonly<Record<TeamStatus['state'], string>> = {
  in_sync: 'active',
  stale: 'active, but the server has not confirmed it for a while',
  killed: 'switched off by the team',
  no_bundle: 'none yet',
}

export function statusText(
  status: TeamStatus,
  isBackground: boolean,
  screen: Screen,
  platform: NodeJS.Platform,
): string {
  const { enrolment, inForce, release, problem, warnings, queued, state } = status
  const isWell = state === 'in_sync' && !problem
  const style = isWell ? screen.green : screen.amber
  const hooks =
    inForce && !inForce.killed ? `release ${inForce.release}, ${count(inForce.hooks, 'hook')}` : ''
  const facts: [string, string][] = [
    ['server', enrolment.server],
    ['hooks', [style(STATES[state]), hooks].filter(text => text !== '').join(': ')],
    ['ring', status.ring],
    ['last sync', status.syncedAt ?? 'never'],
    ['waiting', queued === 0 ? '' : `${count(queued, 'record')} to be sent`],
    [
      'refresh',
      isBackground ? 'in the background' : screen.amber('not running; start it with: holdfast team sync'),
    ],
    ['folder', shortPath(status.folder, screen)],
  ]
  const lines = facts.filter(([, text]) => text !== '').map(([name, text]) => `    ${name.padEnd(11)}${text}`)
  return [
    '',
    `  ${screen.bold(visible(enrolment.team_name))}  ${screen.dim(enrolment.team_id)}`,
    ...lines,
    ...(status.expiring.length > 0 ? [''] : []),
    ...status.expiring.map(one => `  ${screen.amber('Soon over:')} ${expiryText(one, inForce?.release)}`),
    ...(problem ? ['', `  ${screen.amber(headingOf(problem))} ${visible(problemWords(problem))}`] : []),
    ...(warnings.length > 0 ? [''] : []),
    ...warnings.map(one => `  ${screen.amber('Noticed in the last day:')} ${visible(problemWords(one))}`),
    release ? hooksText(release.hooks, platform, screen) : '\n',
  ].join('\n')
}

/** Problems that pass by themselves; any other one needs attention. */
const PASSING: ReadonlySet<string> = new Set(['offline', 'server', 'busy'])
const headingOf = ({ code }: Problem): string =>
  PASSING.has(code) ? 'Failed:' : 'Needs attention (try holdfast team sync):'

/** The meaning, and what to do. */
function expiryText({ what, until, daysLeft, isOver }: Expiring, release: number | undefined): string {
  const day = until.slice(0, 10)
  const left = isOver ? 'expired' : `${count(daysLeft, 'day')} left`
  if (what === 'token')
    return `this machine's token is valid until ${day} (${left}) and was not renewed. Try: holdfast team sync; once it has expired: holdfast login`
  if (what === 'lease')
    return `the lease of the server is valid until ${day} (${left}). The hooks stay active. Try: holdfast team sync`
  return `other machines can install release ${release} until ${day} (${left}). An admin should publish it again.`
}

export const problemWords = ({ code, message }: Problem): string => `[team/${code}] ${message}`

export function syncText(result: SyncResult, name: string, screen: Screen): string {
  const { kind, inForce, problem, warnings } = result
  const what = inForce?.killed
    ? 'all hooks are switched off'
    : `release ${inForce?.release ?? 0}, ${count(inForce?.hooks ?? 0, 'hook')}`
  const words = {
    updated: `${screen.green('updated')}: ${what}`,
    unchanged: inForce ? `unchanged: ${what}` : 'no hooks yet',
    refused: `${screen.red('rejected')}; the previous hooks stay active`,
    failed: `${screen.amber('failed')}; the previous hooks stay active`,
  }[kind]
  const said = [...(problem ? [problem] : []), ...warnings].map(one => `  ${visible(problemWords(one))}\n`)
  return `  ${visible(name)}  ${words}\n${said.join('')}`
}
