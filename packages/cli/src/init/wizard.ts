// Asks on a terminal for the choices that the options left open.

import { EVENT_SPECS, type EventName, findEvent } from '@holdfast/hooks/protocol'
import { askOne, askSeveral, askYesNo } from '../print/prompts.js'
import { print, printError } from '../print/terminal.js'
import { examples } from './example.js'
import { sampleEvents } from './job.js'
import { LANGUAGE_WORDS, LANGUAGES, type Language } from './language.js'
import type { LevelName } from './level.js'
import type { Choices, InitPlan } from './plan.js'

export interface WizardAnswers {
  readonly level: LevelName
  readonly choices: Choices
}

/** Undefined if the user cancelled. */
export async function ask(
  level: LevelName | undefined,
  known: Partial<Choices>,
): Promise<WizardAnswers | undefined> {
  const chosen = level ?? (await askLevel())
  const choices = chosen && (await askChoices(known))
  if (choices) return { level: chosen, choices }
  printError('Nothing was written.\n')
  return undefined
}

export async function agree({ changes }: InitPlan): Promise<boolean> {
  const isAgreed = await askYesNo(`Write ${changes.length === 1 ? 'this file' : 'these files'}?`, {
    default: true,
  })
  print('\n')
  return isAgreed
}

const askLevel = () =>
  askOne<LevelName>('Where should the hook run?', [
    { value: 'project', label: 'this project', hint: 'for everyone who works on it' },
    { value: 'user', label: 'mine', hint: 'in all your projects' },
  ])

async function askChoices(known: Partial<Choices>): Promise<Choices | undefined> {
  if (known.examples && !known.language && !known.events) {
    return { language: undefined, events: [], examples: known.examples }
  }
  const language = known.language ?? (await askLanguage(known))
  if (language === undefined) return undefined
  if (language === 'example') {
    const names = await askSeveral(
      'Which examples?',
      examples().map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
    )
    return (
      names && {
        language: undefined,
        events: [],
        examples: examples().filter(({ name }) => names.includes(name)),
      }
    )
  }
  const events = known.events ?? (await askEvents())
  return events && { language, events, examples: known.examples ?? [] }
}

const askLanguage = (known: Partial<Choices>) =>
  askOne<Language | 'example'>('Which language?', [
    ...LANGUAGES.map(value => ({ value, label: value, hint: LANGUAGE_WORDS[value] })),
    ...(!known.events && examples().length > 0
      ? [{ value: 'example' as const, label: 'an example', hint: 'a complete hook with its tests' }]
      : []),
  ])

async function askEvents() {
  const names = await askSeveral<EventName>(
    'Which events?',
    EVENT_SPECS.map(({ name, summary }) => ({ value: name, label: name, hint: summary })),
    sampleEvents().map(({ name }) => name),
  )
  return names?.map(name => findEvent(name)!)
}
