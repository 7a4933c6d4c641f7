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
      readonly taskId: string | null
    }
  | { readonly kind: 'error'; readonly message: string }

export function outcomeOf(answer: Message): Outcome {
  const place = memberOf(answer, 'result')
  if (!place) {
    const error = memberOf(answer, 'error')
    const said: unknown = error ? JSON.parse(textOf(answer.text, error)) : undefined
    const message =
      isObject(said) && typeof said.message === 'string' ? said.message : 'The server gave no result.'
    return { kind: 'error', message }
  }
  const text = textOf(answer.text, place)
  const result: unknown = JSON.parse(text)
  if (!isObject(result)) return { kind: 'result', text, failure: null, taskId: null }
  const taskId = isObject(result.task) && typeof result.task.taskId === 'string' ? result.task.taskId : null
  return { kind: 'result', text, failure: result.isError === true ? wordsOf(result, text) : null, taskId }
}

/** The text that a failed tool gave as its reason. */
function wordsOf({ content }: Record<string, unknown>, otherwise: string): string {
  const words = (Array.isArray(content) ? content : [])
    .map((item: unknown) => (isObject(item) && typeof item.text === 'string' ? item.text : ''))
    .filter(text => text !== '')
  return words.length > 0 ? words.join('\n') : otherwise
}

/** The answer with what the hooks want changed; the same text when they want nothing. */
export function changedAnswer(answer: Message, { output, context }: Seen): string {
  const place = memberOf(answer, 'result')
  if (!place) return context === null ? answer.text : withErrorContext(answer, context)
  const original = textOf(answer.text, place)
  let result = output ? JSON.stringify(asResult(output, original)) : original
  if (context !== null) result = withContext(result, context)
  return result === original ? answer.text : withText(answer.text, place, result)
}

/** A whole result is taken as it is; anything else is what the tool says. */
function asResult(output: Readonly<Record<string, unknown>>, original: string): Record<string, unknown> {
  if (Array.isArray(output.content)) return output
  const said = { content: [{ type: 'text', text: JSON.stringify(output) }] }
  const before: unknown = JSON.parse(original)
  const hadStructure = isObject(before) && before.structuredContent !== undefined
  return hadStructure ? { ...said, structuredContent: output } : said
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

/** What the server says of itself, and its greeting with context for the model added to its instructions. */
export function greetingOf(
  answer: Message,
  context: string | null,
): { text: string; serverName: string | undefined; version: string | undefined } {
  const place = memberOf(answer, 'result')
  const result: unknown = place ? JSON.parse(textOf(answer.text, place)) : undefined
  if (!place || !isObject(result)) return { text: answer.text, serverName: undefined, version: undefined }
  const { serverInfo, protocolVersion, instructions } = result
  const name = isObject(serverInfo) ? serverInfo.name : undefined
  const told =
    typeof instructions === 'string' && instructions !== '' ? `${instructions}\n\n${context}` : context
  return {
    text:
      context === null
        ? answer.text
        : withText(answer.text, place, withKeys(textOf(answer.text, place), { instructions: told })),
    serverName: typeof name === 'string' && name !== '' ? name : undefined,
    version: typeof protocolVersion === 'string' ? protocolVersion : undefined,
  }
}
