// Asks on a terminal for the choices that the options left open.

import { cancel, confirm, isCancel, multiselect, select } from '@clack/prompts'
import { EVENT_SPECS, type EventName, findEvent } from '@holdfast/hooks/protocol'
import { print } from '../print/terminal.js'
import { examples } from './example.js'
import { sampleEvents } from './job.js'
import { LANGUAGE_WORDS, LANGUAGES, type Language } from './language.js'
import type { LevelName } from './level.js'
import type { Choices, InitPlan } from './plan.js'

export interface WizardAnswers {
  readonly level: LevelName
  readonly choices: Choices
}

class Cancelled extends Error {}

const answered = <T>(value: T): Exclude<T, symbol> => {
  if (isCancel(value)) throw new Cancelled()
  return value as Exclude<T, symbol>
}

/** Undefined if the user cancelled. */
export async function ask(
  level: LevelName | undefined,
  known: Partial<Choices>,
): Promise<WizardAnswers | undefined> {
  // Some terminals report a width of 0, which would break every word into letters.
  if (!process.stdout.columns) process.stdout.columns = 80
  try {
    return { level: level ?? (await askLevel()), choices: await askChoices(known) }
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    cancel('Nothing was written.')
    return undefined
  }
}

export async function agree({ changes }: InitPlan): Promise<boolean> {
  const answer = await confirm({ message: `Write ${changes.length === 1 ? 'this file' : 'these files'}?` })
  print('\n')
  return !isCancel(answer) && answer
}

const askLevel = async () =>
  answered(
    await select<LevelName>({
      message: 'Where should the hook run?',
      options: [
        { value: 'project', label: 'this project', hint: 'for everyone who works on it' },
        { value: 'user', label: 'mine', hint: 'in all your projects' },
      ],
    }),
  )

async function askChoices(known: Partial<Choices>): Promise<Choices> {
  if (known.examples && !known.language && !known.events) {
    return { language: undefined, events: [], examples: known.examples }
  }
  const language = known.language ?? (await askLanguage(known))
  if (language === undefined) {
    return { language, events: [], examples: await askExamples() }
  }
  return { language, events: known.events ?? (await askEvents()), examples: known.examples ?? [] }
}

const askLanguage = async (known: Partial<Choices>): Promise<Language | undefined> => {
  const mayTakeExample = !known.events && examples().length > 0
  const answer = answered(
    await select<Language | 'example'>({
      message: 'Which language?',
      options: [
        ...LANGUAGES.map(value => ({ value, label: value, hint: LANGUAGE_WORDS[value] })),
        ...(mayTakeExample
          ? [{ value: 'example' as const, label: 'an example', hint: 'a complete hook with its tests' }]
          : []),
      ],
    }),
  )
  return answer === 'example' ? undefined : answer
}

async function askExamples() {
  const all = examples()
  const names = answered(
    await multiselect<string>({
      message: 'Which examples?',
      options: all.map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
      maxItems: 12,
    }),
  )
  return all.filter(({ name }) => names.includes(name))
}

async function askEvents() {
  const names = answered(
    await multiselect<EventName>({
      message: 'Which events?',
      options: EVENT_SPECS.map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
      initialValues: sampleEvents().map(({ name }) => name),
      maxItems: 12,
    }),
  )
  return names.map(name => findEvent(name)!)
}
