// holdfast explain: which hooks one event would start, which it would not, and why. Nothing is started.

import { openHooks } from '@holdfast/hooks'
import {
  type EventSpec,
  type Explanation,
  type HookDefinition,
  type Plan,
  type Profile,
  SOURCES,
} from '@holdfast/hooks/protocol'
import type { Given } from '../arguments.js'
import { EVENT_ARGUMENT, FIELDS, readCall, withFields } from '../call.js'
import { issuesOf } from '../check/lint.js'
import type { Command } from '../command.js'
import { explainShell } from '../guards/explain.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { issueJson } from '../print/fire-json.js'
import { headline } from '../print/fire-report.js'
import { place } from '../print/place.js'
import { POLICY_WORDS, policyOf } from '../print/policy.js'
import { type Row, renderRows } from '../print/rows.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { shorten, visible } from '../print/text.js'
import { count, shortHook, skipWords, subjectWords, whyWords } from '../print/words.js'
import { workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'explain',
  summary: 'Show which hooks would run for an event, and why, without running them',
  arguments: [EVENT_ARGUMENT],
  options: [FIELDS, WORKSPACE, OUTPUT],
  exitCodes: { 0: 'explained', 1: 'the call is wrong' },
  examples: [
    'holdfast explain beforeShellExecution --command "curl https://example.com"',
    'holdfast explain beforeReadFile --file-path .env --profile cursor-2.4',
    'holdfast explain shell "sudo rm -rf /var/log"',
  ],
  subcommands: [explainShell],
  extend: withFields,
  run,
}

async function run(given: Given): Promise<number> {
  const { spec, fields } = await readCall('explain', given)
  const { host, screen } = workspaceOf(given)
  const hooks = await openHooks(host)
  try {
    const plan = await hooks.explain(spec.name, fields as never)
    if (given.has('json')) printJson({ ...planJson(plan), issues: issuesOf(hooks).map(issueJson) })
    else print(planReport(plan, fields, screen))
    return 0
  } finally {
    hooks.close()
  }
}

function planReport(plan: Explanation, fields: Readonly<Record<string, unknown>>, screen: Screen): string {
  const { spec, profile } = plan.event
  const { dim, amber, green } = screen
  const row = (hook: HookDefinition, word: string, style: (text: string) => string, why: string): Row => ({
    cells: [{ text: hook.source }, { text: shortHook(hook) }, { text: word, style }],
    text: { text: why },
    below: [{ text: details(hook, spec, profile, screen), style: dim }],
  })
  const rows = [
    ...plan.hooks.map(one => {
      const [word, style] = one.hook.mode === 'observe' ? ['observes', dim] : ['runs', green]
      return row(one.hook, word, style, whyWords(one, spec, profile))
    }),
    ...plan.skipped.map(({ hook, reason }) =>
      row(
        hook,
        'skipped',
        reason === 'untrusted' ? amber : dim,
        skipWords(reason, hook.matcher, spec, profile),
      ),
    ),
  ]
  const untrusted = plan.skipped.filter(({ reason }) => reason === 'untrusted').length
  const total = plan.hooks.length + plan.skipped.length
  const blocks = [
    [`  ${headline(spec.name, fields, screen)}`, ...subjectLine(plan, screen)],
    renderRows(rows, [{}, { share: 0.3 }, {}], screen.columns),
    [
      total === 0
        ? `  ${screen.bold('no hooks for this event')}`
        : `  ${screen.bold(`${plan.hooks.length} of ${count(total, 'hook')} would run`)}, nothing was started`,
      ...(untrusted > 0 ? [`  ${amber(`${untrusted} not trusted`)}; review with: holdfast trust`] : []),
      ...plan.denials.map(({ message }) => `  ${amber('denied')}: ${message}`),
    ],
  ]
  return `\n${blocks
    .filter(block => block.length > 0)
    .map(block => block.join('\n'))
    .join('\n\n')}\n\n`
}

function subjectLine({ subject, event, untilAnswered }: Plan, screen: Screen): string[] {
  const what = subject === null ? 'nothing' : visible(subject)
  const line = `  patterns are matched against ${subjectWords(event.spec.subject)}: ${what}`
  return [
    screen.dim(shorten(subject === null ? '  patterns are not used on this event' : line, screen.columns)),
    ...(untilAnswered ? [screen.dim(`  ${event.profile.name} stops at the first response`)] : []),
  ]
}

function details(hook: HookDefinition, spec: EventSpec, profile: Profile, screen: Screen): string {
  const { effect, why } = policyOf(hook, spec, profile)
  return [
    place(hook.file, hook.line, screen),
    ...(SOURCES[hook.source].needsTrust && hook.trusted ? ['trusted'] : []),
    `limit ${hook.timeoutMs / 1000} s`,
    `${POLICY_WORDS[effect]}: ${why}`,
  ].join(' · ')
}

function planJson(plan: Explanation) {
  const { spec, profile } = plan.event
  const common = (hook: HookDefinition) => ({
    source: hook.source,
    mode: hook.mode,
    hook: hook.name,
    file: hook.file,
    line: hook.line,
    matcher: hook.matcher.kind === 'all' ? null : hook.matcher.text,
  })
  const rest = (hook: HookDefinition) => ({
    trusted: hook.trusted,
    timeout_ms: hook.timeoutMs,
    on_failure: policyOf(hook, spec, profile).effect,
  })
  return {
    event: spec.name,
    profile: profile.name,
    subject: plan.subject,
    denials: plan.denials.map(({ message, source, file }) => ({ message, source, file })),
    runs: plan.hooks.map(one => ({
      ...common(one.hook),
      why: one.why,
      explanation: whyWords(one, spec, profile),
      ...rest(one.hook),
    })),
    skipped: plan.skipped.map(({ hook, reason }) => ({
      ...common(hook),
      reason,
      explanation: skipWords(reason, hook.matcher, spec, profile),
      ...rest(hook),
    })),
  }
}
