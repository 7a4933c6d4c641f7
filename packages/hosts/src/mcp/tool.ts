// The call inside a message, and the message with another input.

import type { Tool } from './call.js'
import { membersOf, repeatsKey, textOf, withText, withTexts } from './json-text.js'
import { isObject, isTwice, type Message, memberOf } from './message.js'

export const CALL = 'tools/call'

const DECIDING: Readonly<Record<string, true>> = {
  name: true,
  arguments: true,
  task: true,
  _meta: true,
  inputResponses: true,
  requestState: true,
}

/** Undefined if the message can be read as more than one call, or as none. */
export function toolOf(message: Message): Tool | undefined {
  const place = memberOf(message, 'params')
  const { params } = message
  if (!place || !params) return undefined
  const members = membersOf(message.text, place.from)
  if (isTwice(members, DECIDING)) return undefined
  const { name, arguments: input } = params
  if (typeof name !== 'string') return undefined
  const given = members.find(({ key }) => key === 'arguments')
  const useId = message.id === undefined ? '' : String(JSON.parse(message.id))
  if (!given || input === null) return { name, argumentsText: '{}', arguments: {}, useId }
  if (!isObject(input) || repeatsKey(textOf(message.text, given))) return undefined
  return { name, argumentsText: textOf(message.text, given), arguments: input, useId }
}

export function withArguments(message: Message, argumentsText: string): string {
  const place = memberOf(message, 'params')
  if (!place) return message.text
  const params = withTexts(textOf(message.text, place), [['arguments', argumentsText]])
  return withText(message.text, place, params)
}

/** The text of one parameter. */
export function paramText(message: Message, name: string): string | undefined {
  const place = memberOf(message, 'params')
  const found = place && membersOf(message.text, place.from).findLast(({ key }) => key === name)
  return found && textOf(message.text, found)
}

export function isRepeated(message: Message, name: string): boolean {
  const place = memberOf(message, 'params')
  return place !== undefined && isTwice(membersOf(message.text, place.from), { [name]: true })
}

/** For the result of a task whose call the gateway has not seen. */
export const unknownTask = (method: string, taskId: unknown): Tool => ({
  name: method,
  argumentsText: JSON.stringify({ taskId }),
  arguments: { taskId },
  useId: String(taskId),
})
