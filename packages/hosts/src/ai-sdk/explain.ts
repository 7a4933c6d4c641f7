// Any error as one short line. The SDK's errors contain the request, the response and its headers, so nothing of them
// is passed on: no cause, no payload, no key.

import type { PromptQuestion } from '@holdfast/hooks/protocol'
import { APICallError, NoObjectGeneratedError, NoOutputGeneratedError } from 'ai'
import type { Target } from './model.js'

/** An error whose message is ours and safe to show. */
export class PromptError extends Error {
  override readonly name = 'PromptError'
}

export function explain(error: unknown, target: Target, question: PromptQuestion): PromptError {
  for (const link of chain(error)) if (link instanceof PromptError) return link
  const who = target.provider
  if (APICallError.isInstance(error)) {
    const code = networkCode(error)
    if (error.statusCode === undefined) {
      return new PromptError(`could not reach ${who} at ${new URL(target.baseUrl).host}${code}`)
    }
    if (error.statusCode >= 400) {
      const said = safe(error.message, target.apiKey, question)
      return new PromptError(
        `${who} answered ${error.statusCode}${said && `: ${said}`}${advice(error.statusCode)}`,
      )
    }
    if (code !== '')
      return new PromptError(`the connection to ${who} broke before its answer was complete${code}`)
    return new PromptError(
      `${who} answered ${error.statusCode} with something that is not a reply of its interface`,
    )
  }
  if (NoObjectGeneratedError.isInstance(error) && error.text?.trim()) {
    return new PromptError(`the model of ${who} answered with text that is not one JSON object`)
  }
  if (NoObjectGeneratedError.isInstance(error) || NoOutputGeneratedError.isInstance(error)) {
    return new PromptError(`the model of ${who} gave no structured answer`)
  }
  return new PromptError(`the model of ${who} could not be asked`)
}

function advice(status: number): string {
  if (status === 401 || status === 403)
    return " (check HOLDFAST_MODEL_KEY or the provider's own key variable)"
  if (status === 404) return ' (check HOLDFAST_MODEL and HOLDFAST_MODEL_URL)'
  return ''
}

function* chain(error: unknown): Generator<unknown> {
  // No library nests more than ten causes; the limit ends a cycle.
  for (let link = error, left = 10; link instanceof Error && left > 0; link = link.cause, left--) yield link
}

function networkCode(error: unknown): string {
  for (const link of chain(error)) {
    const code = (link as { code?: unknown }).code
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return ` (${code})`
  }
  return ''
}

const MESSAGE_LIMIT = 300
const KEY_OVERLAP = 8
const QUESTION_OVERLAP = 24

// Providers quote the request: the key, complete or masked, and parts of the question.
function safe(message: string, key: string | undefined, question: PromptQuestion): string {
  let text = flat(message.slice(0, 4_000))
  const sent = `${flat(question.system)}\n${flat(question.prompt)}`
  for (let at = 0; at + QUESTION_OVERLAP <= text.length; at++) {
    if (sent.includes(text.slice(at, at + QUESTION_OVERLAP)))
      return '(its message repeats the question and is left out)'
  }
  if (key !== undefined) {
    text = text.replaceAll(key, '[key]')
    for (let at = 0; at + KEY_OVERLAP <= key.length; at++) {
      text = text.replaceAll(key.slice(at, at + KEY_OVERLAP), '[key]')
    }
  }
  text = text.replace(/\bsk-[\w*-]+/g, '[key]')
  return text.length > MESSAGE_LIMIT ? `${text.slice(0, MESSAGE_LIMIT)}…` : text
}

function flat(text: string): string {
  return text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim()
}
