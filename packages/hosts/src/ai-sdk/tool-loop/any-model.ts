// Every way in which the AI SDK lets one name a model, as the one that hooks can be put into.

import { gateway, type LanguageModel, wrapProvider } from 'ai'
import type { Model } from '../agent/hooked-model.js'

export function anyModel(model: LanguageModel): Model {
  if (typeof model === 'string') return (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model)
  if (model.specificationVersion === 'v3') return model
  // An older model: what wraps a provider brings its models up to date.
  const provider = { languageModel: () => model } as unknown as Parameters<typeof wrapProvider>[0]['provider']
  return wrapProvider({ provider, languageModelMiddleware: [] }).languageModel(model.modelId)
}
