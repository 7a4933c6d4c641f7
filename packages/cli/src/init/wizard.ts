// Asks a person on a terminal for what the flags left open.

import { cancel, confirm, isCancel, multiselect, select } from '@clack/prompts'
import { EVENT_SPECS, type EventName, findEvent } from '@holdfast/hooks/protocol'
import { print } from '../print/terminal.js'
import { examples } from './example.js'
import { sampleEvents } from './job.js'
import { LANGUAGE_WORDS, LANGUAGES, type Language } from './language.js'
import type { LevelName } from './level.js'
import type { Choices, Plan } from './plan.js'

export interface Asked {
  readonly level: LevelName
  readonly choices: Choices
}

class Cancelled extends Error {}

const answered = <T>(value: T): Exclude<T, symbol> => {
  if (isCancel(value)) throw new Cancelled()
  return value as Exclude<T, symbol>
}

/** Undefined when the person left. */
export async function ask(level: LevelName | undefined, known: Partial<Choices>): Promise<Asked | undefined> {
  // Some terminals do not say how wide they are, and a width of 0 would break every word into letters.
  if (!process.stdout.columns) process.stdout.columns = 80
  try {
    return { level: level ?? (await askLevel()), choices: await askChoices(known) }
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    cancel('Nothing was written.')
    return undefined
  }
}

export async function agree({ changes }: Plan): Promise<boolean> {
  const answer = await confirm({ message: `Write ${changes.length === 1 ? 'this file' : 'these files'}?` })
  print('\n')
  return !isCancel(answer) && answer
}

const askLevel = async () =>
  answered(
    await select<LevelName>({
      message: 'Whose hooks are these?',
      options: [
        { value: 'project', label: 'this project', hint: 'everybody who works on it has them' },
        { value: 'user', label: 'mine', hint: 'they run in every project of yours' },
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
      message: 'What should the hook be written in?',
      options: [
        ...LANGUAGES.map(value => ({ value, label: value, hint: LANGUAGE_WORDS[value] })),
        ...(mayTakeExample
          ? [{ value: 'example' as const, label: 'an example', hint: 'a finished hook with its cases' }]
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
      message: 'On which events?',
      options: EVENT_SPECS.map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
      initialValues: sampleEvents().map(({ name }) => name),
      maxItems: 12,
    }),
  )
  return names.map(name => findEvent(name)!)
}
