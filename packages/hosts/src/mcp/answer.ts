// What hooks make of an answer of the server, written into its text.

import type { Seen } from './call.js'
import { firstOf, membersOf, textOf, withItem, withKeys, withText } from './json-text.js'
import { isObject, type Message, memberOf } from './message.js'

/** What became of a call: its result as it was written, or why there is none. */
export type Outcome =
  | {
      readonly kind: 'result'
      readonly text: string
      readonly failure: string | null
    }
  | { readonly kind: 'error'; readonly message: string }

export function outcomeOf(answer: Message): Outcome {
  const place = memberOf(answer, 'result')
  if (place) return resultOutcome(textOf(answer.text, place))
  const error = memberOf(answer, 'error')
  const said: unknown = error ? JSON.parse(textOf(answer.text, error)) : undefined
  const message =
    isObject(said) && typeof said.message === 'string' ? said.message : 'The server returned no result.'
  return { kind: 'error', message }
}

export function resultOutcome(text: string): Outcome {
  const result: unknown = JSON.parse(text)
  const failure = isObject(result) && result.isError === true ? wordsOf(result, text) : null
  return { kind: 'result', text, failure }
}

export function resultOf(answer: Message): Record<string, unknown> | undefined {
  const place = memberOf(answer, 'result')
  const result: unknown = place ? JSON.parse(textOf(answer.text, place)) : undefined
  return isObject(result) ? result : undefined
}

/** The text that a failed tool gave as its reason. */
function wordsOf({ content }: Record<string, unknown>, otherwise: string): string {
  const words = (Array.isArray(content) ? content : [])
    .map((item: unknown) => (isObject(item) && typeof item.text === 'string' ? item.text : ''))
    .filter(text => text !== '')
  return words.length > 0 ? words.join('\n') : otherwise
}

/** The answer with what the hooks want changed; the same text when they want nothing. */
export function changedAnswer(answer: Message, seen: Seen): string {
  const place = memberOf(answer, 'result')
  if (!place) return seen.context === null ? answer.text : withErrorContext(answer, seen.context)
  const original = textOf(answer.text, place)
  const result = changedResult(original, seen)
  return result === original ? answer.text : withText(answer.text, place, result)
}

export function changedResult(original: string, { output, context }: Seen): string {
  const result = output ? JSON.stringify(asResult(output, original)) : original
  return context === null ? result : withContext(result, context)
}

/** A whole result is taken as it is; anything else is what the tool says. */
function asResult(output: Readonly<Record<string, unknown>>, original: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(original)
  const before = isObject(parsed) ? parsed : {}
  // A modern client takes no result without its type.
  const type = before.resultType === undefined ? {} : { resultType: 'complete' }
  if (Array.isArray(output.content)) return { ...type, ...output }
  const said = { ...type, content: [{ type: 'text', text: JSON.stringify(output) }] }
  return before.structuredContent === undefined ? said : { ...said, structuredContent: output }
}

function withContext(result: string, context: string): string {
  const item = JSON.stringify({ type: 'text', text: context })
  const at = firstOf(result)
  if (result[at] !== '{') return result
  const content = membersOf(result, at).findLast(({ key }) => key === 'content')
  if (!content || result[content.from] !== '[') return withKeys(result, { content: [JSON.parse(item)] })
  return withText(result, content, withItem(textOf(result, content), item))
}

/** An error has no content; what the model reads of it is its message. */
function withErrorContext(answer: Message, context: string): string {
  const place = memberOf(answer, 'error')
  const error = place ? textOf(answer.text, place) : ''
  const said: unknown = place ? JSON.parse(error) : undefined
  if (!place || !isObject(said) || typeof said.message !== 'string') return answer.text
  return withText(answer.text, place, withKeys(error, { message: `${said.message}\n\n${context}` }))
}

/** The greeting of a server with context for the model added to its instructions. */
export function greetingOf(answer: Message, context: string): string {
  const place = memberOf(answer, 'result')
  const result = resultOf(answer)
  if (!place || !result) return answer.text
  const { instructions, cacheScope } = result
  const told =
    typeof instructions === 'string' && instructions !== '' ? `${instructions}\n\n${context}` : context
  // The context is for this session, so nobody may keep it for others.
  const cache = cacheScope === undefined ? {} : { cacheScope: 'private', ttlMs: 0 }
  return withText(answer.text, place, withKeys(textOf(answer.text, place), { instructions: told, ...cache }))
}
