// What a hook said well and what is lost all the same, in versions that do not hear all hooks of an event.

import type { Profile } from '../protocol/profiles.js'
import { STRICTNESS } from '../protocol/strictness.js'
import type { Opinion, Overruled } from '../protocol/verdict.js'
import type { Voice } from './merge.js'

/** `deaf`: one silent hook made the version forget what the others said. */
export function overruled(
  voices: readonly Voice[],
  opinion: Opinion,
  deaf: boolean,
  { merge }: Profile,
): readonly Overruled[] {
  // Nearly always: whoever hears all hooks overrules none, and one hook has nobody beside it.
  if (voices.length < 2 || (merge.permission === 'strictest' && merge.context === 'all')) return NONE
  const found: Overruled[] = []
  const say = ({ run }: Voice, message: string) =>
    found.push({ run, note: { code: 'note/overruled', message } })
  for (const voice of voices) {
    if (deaf && voice.opinion === 'deny') say(voice, FORGOTTEN)
    else if (!deaf && STRICTNESS[voice.opinion] > STRICTNESS[opinion]) {
      say(voice, `Its ${voice.opinion} is lost: this version hears only the highest source with an opinion.`)
    }
  }
  if (merge.context === 'last')
    for (const voice of voices.filter(givesContext).slice(0, -1)) say(voice, NOT_LAST)
  return found
}

const NONE: readonly Overruled[] = Object.freeze([])
const FORGOTTEN =
  'Its continue: false is lost: this version forgets it when another hook of the event prints nothing.'
const NOT_LAST = 'Its context is lost: this version keeps only that of the last hook.'

const givesContext = ({ run: { outcome } }: Voice): boolean =>
  outcome.kind === 'answered' && Boolean(outcome.answer.additional_context)
