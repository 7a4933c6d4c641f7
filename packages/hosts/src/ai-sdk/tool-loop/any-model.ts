// Turns every way of naming a model in the AI SDK into a model that hooks can wrap.

import { gateway, type LanguageModel, wrapProvider } from 'ai'
import type { Model } from '../agent/hooked-model.js'

export function anyModel(model: LanguageModel): Model {
  if (typeof model === 'string')
    return (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) as Model
  // Version 7 of the AI SDK has models of a newer specification, which it wraps in the same way.
  if ((model.specificationVersion as string) !== 'v2') return model as Model
  // An older model: the wrapper of the SDK updates it.
  const provider = { languageModel: () => model } as unknown as Parameters<typeof wrapProvider>[0]['provider']
  return wrapProvider({ provider, languageModelMiddleware: [] }).languageModel(model.modelId)
}
