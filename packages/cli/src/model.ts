// The model's side of prompt hooks, loaded only when one is really asked.

import type { EvaluatePrompt } from '@holdfast/hooks/protocol'
import { loadOptional } from './optional.js'

export type ImportDoor = (name: string) => Promise<typeof import('@holdfast/hosts/ai-sdk')>

/** From bin/holdfast.cjs: code that comes out of V8's cache cannot import modules by itself. */
declare const importDoor: ImportDoor

let handed: ImportDoor | undefined

/** Only the first bundle is given the door; it hands it to the second. */
export const handOver = (door: ImportDoor): void => {
  handed = door
}

export const ownDoor = (): ImportDoor | undefined =>
  handed ?? (typeof importDoor === 'undefined' ? undefined : importDoor)

export const evaluatePrompt: EvaluatePrompt = async question => {
  const evaluate = async () => {
    const { promptEvaluator } = await ownDoor()!('@holdfast/hosts/ai-sdk')
    return promptEvaluator()(question)
  }
  return loadOptional(evaluate, 'A prompt hook', [
    'ai@6',
    '@ai-sdk/anthropic@3',
    '@ai-sdk/openai-compatible@2',
  ])
}
