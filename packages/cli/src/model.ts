// The model for prompt hooks, loaded when the first one runs.

import type { EvaluatePrompt } from '@holdfast/hooks/protocol'
import { loadOptional } from './optional.js'

export type ImportDoor = (name: string) => Promise<typeof import('@holdfast/hosts/ai-sdk')>

/** From bin/holdfast.cjs: code from V8's cache cannot import modules by itself. */
declare const importDoor: ImportDoor

let handed: ImportDoor | undefined

/** Only the first bundle receives the import function; it passes it to the second. */
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
