// holdfast approvals: the questions from hooks that wait for a person, and the answers.

import { flag, type Given } from '../arguments.js'
import type { Command } from '../command.js'
import { answerQuestion, waitingQuestions } from '../daemon/ask.js'
import type { Waiting } from '../daemon/questions.js'
import { whyUnattended } from '../guards/attended.js'
import { home, OUTPUT } from '../option-sections.js'
import { askOne } from '../print/prompts.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, homeOf } from '../workspace.js'

const LOOK_MS = 500

const ID = { name: 'id', summary: 'ID of the question, from holdfast approvals list' } as const

const answerWith = (name: 'allow' | 'deny', summary: string): Command => ({
  name,
  summary,
  description: 'Needs a terminal: an agent must not answer for itself.',
  arguments: [ID],
  options: [{ options: { home } }],
  exitCodes: { 0: 'answered', 1: 'the question was already answered or withdrawn, or there is no terminal' },
  examples: [`holdfast approvals ${name} 3f7k`],
  run: given => answerOne(given, name),
})

const list: Command = {
  name: 'list',
  summary: 'Show the waiting questions',
  options: [{ options: { home } }, OUTPUT],
  exitCodes: { 0: 'shown', 1: 'the daemon does not run' },
  examples: ['holdfast approvals list --json'],
  run: showList,
}

const review: Command = {
  name: 'review',
  summary: 'Answer the waiting questions, one by one',
  options: [{ options: { watch: flag('wait for further questions until Ctrl-C'), home } }],
  exitCodes: { 0: 'no question is left', 1: 'there is no terminal, or the daemon is not running' },
  examples: ['holdfast approvals', 'holdfast approvals review --watch'],
  run: answerAll,
}

export const command: Command = {
  name: 'approvals',
  summary: 'Answer questions from hooks that the agent cannot show',
  description:
    "Codex, Gemini CLI and Claude Code without a terminal cannot show you a hook's question. While the daemon runs, the question waits here until the hook's time limit. The first answer counts; no answer denies the action.",
  exitCodes: {},
  examples: ['holdfast approvals', 'holdfast approvals review --watch', 'holdfast approvals allow 3f7k'],
  subcommands: [
    review,
    list,
    answerWith('allow', 'Approve one question'),
    answerWith('deny', 'Refuse one question'),
  ],
  defaultSubcommand: 'review',
}

const ownHome = (given: Given): string => homeOf(given, currentFolder())

async function waiting(home: string): Promise<readonly Waiting[]> {
  const found = await waitingQuestions(home)
  if (typeof found !== 'string') return found
  throw new UsageError(
    found === 'absent'
      ? 'The daemon is not running, so no question is waiting. Start it: holdfast daemon start'
      : 'The daemon does not respond. See: holdfast daemon status',
  )
}

async function showList(given: Given): Promise<number> {
  const all = await waiting(ownHome(given))
  if (given.has('json')) printJson({ questions: all })
  else if (all.length === 0) print('  No question is waiting.\n')
  else print(`\n${all.map(textOf).join('\n')}\n`)
  return 0
}

const LONGEST_SUBJECT = 2000

const textOf = ({ id, agent, subject, message, hooks, cwd, askedAt, waitMs }: Waiting): string => {
  const left = Math.max(0, Math.round((Date.parse(askedAt) + waitMs - Date.now()) / 1000))
  const lines = [
    `  ${id}  ${agent} in ${cwd || 'an unknown folder'}, ${left} s left`,
    `        ${subject.slice(0, LONGEST_SUBJECT)}`,
    ...(subject.length > LONGEST_SUBJECT
      ? [`        … ${subject.length - LONGEST_SUBJECT} more characters: holdfast ui shows them`]
      : []),
    ...(message ? [`        ${message}`] : []),
    ...(hooks.length > 0 ? [`        asked by ${hooks.join(', ')}`] : []),
  ]
  return `${lines.map(visible).join('\n')}\n`
}

function mustBePerson(): void {
  const reason = whyUnattended()
  if (!reason) return
  throw new UsageError(
    `Answers need a person at a terminal, and ${reason}. An agent must not answer for itself. Run in a terminal of your own: holdfast approvals`,
  )
}

async function answerOne(given: Given, answer: 'allow' | 'deny'): Promise<number> {
  const [id] = given.positionals
  if (id === undefined)
    throw new UsageError(`approvals ${answer} needs the id of a question. See: holdfast approvals list`)
  mustBePerson()
  const isFirst = await answerQuestion(ownHome(given), id, answer)
  print(
    isFirst
      ? `  ${answer === 'allow' ? 'Approved' : 'Refused'}.\n`
      : `  Question ${visible(id)} is no longer waiting.\n`,
  )
  return isFirst ? 0 : 1
}

async function answerAll(given: Given): Promise<number> {
  mustBePerson()
  const home = ownHome(given)
  const skipped = new Set<string>()
  let isWaiting = false
  for (;;) {
    const next = (await waiting(home)).find(({ id }) => !skipped.has(id))
    if (!next && !given.has('watch')) {
      print('  No question is waiting.\n')
      return 0
    }
    if (!next) {
      if (!isWaiting) print('  Waiting for questions. End with Ctrl-C.\n')
      isWaiting = true
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
      continue
    }
    print(`\n${textOf(next)}`)
    const answer = await askOne<'allow' | 'deny' | 'skip'>('Allow it?', [
      { value: 'deny', label: 'No' },
      { value: 'allow', label: 'Yes' },
      { value: 'skip', label: 'Skip', hint: 'the question keeps waiting' },
    ])
    // After Ctrl-C the question keeps waiting.
    if (answer === undefined) return 1
    if (answer === 'skip') skipped.add(next.id)
    else if (!(await answerQuestion(home, next.id, answer)))
      print('  Another answer came first, or the question was withdrawn.\n')
  }
}
