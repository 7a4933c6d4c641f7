// holdfast approvals: the questions of hooks that wait for a person, and the answers.

import { createInterface } from 'node:readline/promises'
import { flag, type Given } from '../arguments.js'
import type { Command } from '../command.js'
import { answerQuestion, waitingQuestions } from '../daemon/ask.js'
import type { Waiting } from '../daemon/questions.js'
import { whyUnattended } from '../guards/attended.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, homeOf } from '../workspace.js'

const LOOK_MS = 500

const ID = { name: 'id', summary: 'of the question, as holdfast approvals list shows it' } as const

const answerWith = (name: 'allow' | 'deny', summary: string): Command => ({
  name,
  summary,
  description: 'Needs a terminal: an agent must not answer for itself.',
  arguments: [ID],
  options: [{ options: { home } }],
  exitCodes: { 0: 'answered', 1: 'the question is answered already or withdrawn, or there is no terminal' },
  examples: [`holdfast approvals ${name} 3f7k`],
  run: given => answerOne(given, name),
})

const list: Command = {
  name: 'list',
  summary: 'Show the questions that wait',
  options: [{ options: { home } }, OUTPUT],
  exitCodes: { 0: 'shown', 1: 'the daemon does not run' },
  examples: ['holdfast approvals list --json'],
  run: showList,
}

const review: Command = {
  name: 'review',
  summary: 'Answer the questions that wait, one after the other',
  options: [{ options: { watch: flag('wait for further questions until Ctrl-C'), home } }],
  exitCodes: { 0: 'no question is left', 1: 'there is no terminal, or the daemon does not run' },
  examples: ['holdfast approvals', 'holdfast approvals review --watch'],
  run: answerAll,
}

export const command: Command = {
  name: 'approvals',
  summary: 'Answer questions of hooks for agents that cannot ask you',
  description:
    'Codex, Gemini CLI and Claude Code without a terminal cannot show a question of a hook. While the daemon runs, such a question waits here for as long as the time limit of the hook. The first answer counts; no answer is a deny.',
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
      ? 'The daemon does not run, so no question waits. Start it: holdfast daemon start'
      : 'The daemon does not respond. See: holdfast daemon status',
  )
}

async function showList(given: Given): Promise<number> {
  const all = await waiting(ownHome(given))
  if (given.has('json')) printJson({ questions: all })
  else if (all.length === 0) print('  No question waits.\n')
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
      : `  Question ${visible(id)} no longer waits.\n`,
  )
  return isFirst ? 0 : 1
}

async function answerAll(given: Given): Promise<number> {
  mustBePerson()
  const home = ownHome(given)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const skipped = new Set<string>()
  let hasTold = false
  try {
    for (;;) {
      const next = (await waiting(home)).find(({ id }) => !skipped.has(id))
      if (!next && !given.has('watch')) {
        print('  No question waits.\n')
        return 0
      }
      if (!next) {
        if (!hasTold) print('  Waiting for questions. End with Ctrl-C.\n')
        hasTold = true
        await new Promise(resolve => setTimeout(resolve, LOOK_MS))
        continue
      }
      print(`\n${textOf(next)}`)
      const line = await terminal.question('  Allow it? [y]es, [n]o, [s]kip: ').catch(() => undefined)
      // Ctrl-C or Ctrl-D: the question still waits.
      if (line === undefined) return 1
      const word = line.trim().toLowerCase()
      if (word === 'y' || word === 'yes' || word === 'n' || word === 'no') {
        const isFirst = await answerQuestion(home, next.id, word.startsWith('y') ? 'allow' : 'deny')
        print(isFirst ? '' : '  Another answer came first, or the question was withdrawn.\n')
      } else if (word === 's' || word === 'skip') skipped.add(next.id)
    }
  } finally {
    terminal.close()
  }
}
