// What each other agent carries of our events and answers, and what not.

import { BRIDGES, type Bridge } from '../../packages/hooks/src/bridges/index.js'
import { code, codes, list, page, table } from './markdown.js'

export const agentsPage = (): string =>
  page(
    '# Other agents',
    'What the bridges of `holdfast install` carry, agent by agent. How to use them is in the [guide](../guide/agents.md).',
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
  ...(bridge.config.afterwards ? [bridge.config.afterwards] : []),
  '### Events',
  table(
    ['its event', 'ours'],
    Object.entries(bridge.names.events).map(([name, moment]) => [code(name), OURS[moment]]),
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
  '### What is lost',
  table(
    ['what', 'why', 'instead', 'install'],
    bridge.losses.map(({ what, lost, instead, unenforced }) => [
      what,
      lost,
      instead,
      unenforced ? 'refused unless `--accept-loss`' : '',
    ]),
  ),
]

const OURS: Readonly<Record<Bridge['names']['events'][string], string>> = {
  start: code('sessionStart'),
  end: code('sessionEnd'),
  prompt: code('beforeSubmitPrompt'),
  tool: '`preToolUse`, then the event of what the tool does',
  result: 'the event of what the tool did, then `postToolUse`; `postToolUseFailure` where the result says so',
  failure: code('postToolUseFailure'),
  turn: codes(['afterAgentResponse', 'stop']),
  interrupt: code('stop'),
  subagent: code('subagentStop'),
  compact: code('preCompact'),
}

type Deed = NonNullable<Bridge['names']['tools'][string]['does']>

/** Where the end of a subagent is no event of its own, the end of the call tells it. */
const raisedBy = (does: Deed, { names }: Bridge): string =>
  does === 'task' && !Object.values(names.events).includes('subagent')
    ? codes(['subagentStart', 'subagentStop'])
    : SPECIFIC[does]

const SPECIFIC: Readonly<Record<Deed, string>> = {
  shell: codes(['beforeShellExecution', 'afterShellExecution']),
  read: code('beforeReadFile'),
  files: '`beforeReadFile`, which cannot be told which files: hooks that fail closed deny it',
  write: code('afterFileEdit'),
  edit: code('afterFileEdit'),
  patch: '`afterFileEdit`, once for each file',
  task: code('subagentStart'),
}
