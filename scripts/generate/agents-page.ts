// The events, tools, off-switches and limitations of the bridge to each other agent.

import {
  BRIDGE_LIMIT_SECONDS,
  BRIDGES,
  type Bridge,
  ENTRY_LIMIT_SECONDS,
  noteOnEvidence,
} from '../../packages/hooks/src/bridges/index.js'
import { code, codes, list, page, table } from './markdown.js'

export const agentsPage = (): string =>
  page(
    '# Other agents',
    'The events, tools and limitations of each bridge of `holdfast install`. The [guide](../guide/agents.md) describes how to use them.',
    list(BRIDGES.map(({ name, title }) => `[${title}](#${anchor(title)}): ${code(name)}`)),
    ...BRIDGES.flatMap(agent),
  )

const anchor = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const agent = (bridge: Bridge): string[] => [
  `## ${bridge.title}`,
  bridge.evidence === 'observed' ? `As observed in version ${bridge.version}.` : noteOnEvidence(bridge)!,
  `Settings: ${code(`~/${bridge.config.files.user}`)} with \`--user\`, ${code(bridge.config.files.project)} with \`--project\`.`,
  ...(bridge.config.managed ? [managed(bridge)] : []),
  ...(bridge.config.nextStep ? [bridge.config.nextStep] : []),
  ...offSwitches(bridge),
  '### Time limit',
  timeLimit(bridge),
  '### Events',
  table(
    ['its event', 'ours'],
    Object.entries(bridge.names.events).map(([name, kind]) => [code(name), OURS[kind]]),
  ),
  ...unmapped(bridge),
  '### Tools',
  'Other tools keep their names.',
  table(
    ['its tool', 'as hooks see it', 'also raises'],
    Object.entries(bridge.names.tools).map(([name, { as, does }]) => [
      code(name),
      code(as),
      does ? raisedBy(does, bridge) : '',
    ]),
  ),
  '### Limitations',
  table(
    ['feature', 'limitation', 'install'],
    Object.entries(bridge.limitations).map(([feature, limitation]) => [
      feature,
      limitation,
      bridge.unenforced?.some(event => feature.split(', ').includes(event))
        ? 'refused unless `--accept-loss`'
        : '',
    ]),
  ),
]

function offSwitches({ title, config }: Bridge): string[] {
  const head = '### Off-switches'
  if (config.offSwitches.length === 0) return [head, 'None is documented.']
  const managed = config.managed ? ' They do not affect those of `--managed`.' : ''
  const rows = config.offSwitches.map(({ name, effect, setting }) => [
    name,
    effect,
    codes(setting?.files ?? []),
  ])
  return [
    head,
    `${title} runs no entries of holdfast after these.${managed}`,
    table(['off-switch', 'effect', 'files that `doctor` reads'], rows),
  ]
}

function unmapped({ title, unmapped: events }: Bridge): string[] {
  if (!events) return []
  const rows = Object.entries(events).map(([name, reason]) => [code(name), reason])
  return [`These events of ${title} call no hook.`, table(['its event', 'reason'], rows)]
}

function managed({ config }: Bridge): string {
  const { else: others, darwin, win32 } = config.managed!.files
  const places = [
    `${code(others)}${darwin ? '' : ' (macOS, too)'}`,
    ...(darwin ? [`${code(darwin)} on macOS`] : []),
    ...(win32 ? [`${code(win32)} on Windows`] : []),
  ]
  return `With \`--managed\`: ${places.join(', ')}.`
}

function timeLimit({ title, config: { blocksTimeoutsSince, limitSeconds } }: Bridge): string {
  if (limitSeconds !== undefined)
    return `A gate that has not decided within ${limitSeconds} seconds denies, because ${title} waits little longer, and no setting changes that.`
  const rule = `The entries wait ${ENTRY_LIMIT_SECONDS} seconds. The bridge decides after ${BRIDGE_LIMIT_SECONDS} seconds at the latest: a gate that has not decided by then denies.`
  return blocksTimeoutsSince === undefined
    ? `${rule} ${title} proceeds if it ends the bridge, after a shorter limit or with a signal; no setting changes that.`
    : `${rule} If ${title} ends the bridge, after a shorter limit or with a signal, it blocks the action since version ${blocksTimeoutsSince}; earlier versions proceed.`
}

const OURS: Readonly<Record<Bridge['names']['events'][string], string>> = {
  start: code('sessionStart'),
  end: code('sessionEnd'),
  prompt: code('beforeSubmitPrompt'),
  tool: '`preToolUse`, then the specific event of the tool',
  result:
    'the specific event of the tool, then `postToolUse`; `postToolUseFailure` if the result is an error',
  failure: code('postToolUseFailure'),
  turn: codes(['afterAgentResponse', 'stop']),
  interrupt: code('stop'),
  subagent: code('subagentStop'),
  compact: code('preCompact'),
  settings: 'none: a change that would end the guards of the session is rejected',
}

type Action = NonNullable<Bridge['names']['tools'][string]['does']>

/** Without an event for the end of a subagent, the result of the call ends it. */
const raisedBy = (does: Action, { names }: Bridge): string =>
  does === 'task' && !Object.values(names.events).includes('subagent')
    ? codes(['subagentStart', 'subagentStop'])
    : SPECIFIC[does]

const SPECIFIC: Readonly<Record<Action, string>> = {
  shell: codes(['beforeShellExecution', 'afterShellExecution']),
  read: code('beforeReadFile'),
  files: '`beforeReadFile` without the files, so that hooks that fail closed deny it',
  search: '`beforeReadFile`, if it searches one file',
  resource: codes(['beforeMCPExecution', 'afterMCPExecution']),
  write: code('afterFileEdit'),
  edit: code('afterFileEdit'),
  patch: '`afterFileEdit`, once for each file',
  task: code('subagentStart'),
}
