// The events, tools and limitations of the bridge to each other agent.

import { BRIDGES, type Bridge } from '../../packages/hooks/src/bridges/index.js'
import { code, codes, list, page, table } from './markdown.js'

export const agentsPage = (): string =>
  page(
    '# Other agents',
    'The events, tools and limitations of each bridge of `holdfast install`. How to use them is in the [guide](../guide/agents.md).',
    list(BRIDGES.map(({ name, title }) => `[${title}](#${anchor(title)}): ${code(name)}`)),
    ...BRIDGES.flatMap(agent),
  )

const anchor = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

const agent = (bridge: Bridge): string[] => [
  `## ${bridge.title}`,
  bridge.evidence === 'observed'
    ? `As observed in version ${bridge.version}.`
    : `As documented in ${bridge.version}; not observed.`,
  `Settings: ${code(`~/${bridge.config.files.user}`)} with \`--user\`, ${code(bridge.config.files.project)} with \`--project\`.`,
  ...(bridge.config.nextStep ? [bridge.config.nextStep] : []),
  '### Events',
  table(
    ['its event', 'ours'],
    Object.entries(bridge.names.events).map(([name, kind]) => [code(name), OURS[kind]]),
  ),
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
  write: code('afterFileEdit'),
  edit: code('afterFileEdit'),
  patch: '`afterFileEdit`, once for each file',
  task: code('subagentStart'),
}
