// The model for prompt hooks, its address and its key. Settings come from the caller first, then from the environment;
// the entry of the hook may choose another model.

import { PromptError } from './explain.js'

export type ProviderName = 'anthropic' | 'openai' | 'openai-compatible'

export interface ModelSettings {
  /** `<provider>/<model>` (default: HOLDFAST_MODEL). */
  readonly model?: string | undefined
  /** (default: HOLDFAST_MODEL_URL, then the provider's public address) */
  readonly baseUrl?: string | undefined
  /** (default: HOLDFAST_MODEL_KEY, then the provider's own variable) */
  readonly apiKey?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

export interface Target {
  readonly provider: ProviderName
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

interface Provider {
  readonly baseUrl: string | null
  readonly keyVariable: string | null
}

// A compatible server may belong to anybody, so it never receives the key of a named provider.
const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  openai: { baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  'openai-compatible': { baseUrl: null, keyVariable: null },
}

const FORM =
  '<provider>/<model>, where the provider is anthropic, openai or openai-compatible, for example anthropic/claude-haiku-4-5'

/** The target of one question; `asked` is the model in the entry of the hook. */
export function chooseTarget(asked: string | null, settings: ModelSettings): Target {
  const env = settings.env ?? process.env
  const configured = readConfigured(filled(settings.model) ?? filled(env.HOLDFAST_MODEL))
  const { provider, model } = readAsked(filled(asked ?? undefined), configured)

  // The address and the key are for the configured provider. A hook that names another one, perhaps in a file of a
  // repository, must not send the key there.
  const own = provider === configured?.provider
  const givenUrl = own ? (filled(settings.baseUrl) ?? filled(env.HOLDFAST_MODEL_URL)) : undefined
  const givenKey = own ? (filled(settings.apiKey) ?? filled(env.HOLDFAST_MODEL_KEY)) : undefined

  const { baseUrl, keyVariable } = PROVIDERS[provider]
  const apiKey = givenKey ?? (keyVariable === null ? undefined : filled(env[keyVariable]))
  if (keyVariable !== null && apiKey === undefined) throw new PromptError(missingKey(provider, own))
  return {
    provider,
    model,
    baseUrl: readUrl(givenUrl ?? baseUrl ?? undefined),
    apiKey: readKey(apiKey),
  }
}

/** Reasoning models reject a temperature and spend the output allowance on thinking. */
export function thinksFirst(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return /^(o\d|gpt-[5-9](?!.*-chat)|claude-[a-z]+-[5-9])/.test(name)
}

type Fetch = typeof globalThis.fetch

/** The model that the settings name, for an agent. */
export const openModel = (settings: ModelSettings = {}) =>
  createModel(chooseTarget(null, settings), globalThis.fetch, forOpenAI)

/** Only the provider in use is loaded. */
export async function createModel(target: Target, fetch: Fetch, transform = forQuickOpenAI) {
  const { provider, model, baseUrl: baseURL, apiKey } = target
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL, fetch, ...(apiKey === undefined ? {} : { apiKey }) })(model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: provider,
    baseURL,
    fetch,
    supportsStructuredOutputs: true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(provider === 'openai' ? { transformRequestBody: transform } : {}),
  })(model)
}

type Body = Record<string, unknown>

// OpenAI's own models have another name for the output limit.
const forOpenAI = ({ max_tokens, ...body }: Body): Body => ({ ...body, max_completion_tokens: max_tokens })

// Reasoning models should not think long about a yes or no.
function forQuickOpenAI(given: Body): Body {
  const effort = thinksFirst(String(given.model)) ? { reasoning_effort: 'low' } : {}
  return { ...forOpenAI(given), ...effort }
}

interface Choice {
  readonly provider: ProviderName
  readonly model: string
}

function readConfigured(text: string | undefined): Choice | undefined {
  if (text === undefined) return undefined
  const choice = split(text)
  if (choice === undefined || choice.model === '') throw new PromptError(`HOLDFAST_MODEL must be ${FORM}`)
  return choice
}

function readAsked(asked: string | undefined, configured: Choice | undefined): Choice {
  const named = asked === undefined ? configured : split(asked)
  if (named?.model === '') throw new PromptError(`the hook's "model" must be ${FORM}`)
  if (named !== undefined) return named
  // Model names may contain slashes, so an unknown first part belongs to the name.
  if (asked !== undefined && configured !== undefined) return { ...configured, model: asked }
  if (asked === undefined)
    throw new PromptError(`no model is set for prompt hooks: set HOLDFAST_MODEL to ${FORM}`)
  throw new PromptError(
    `the hook's "model" names no provider and HOLDFAST_MODEL is not set: write it as ${FORM}, or set HOLDFAST_MODEL`,
  )
}

function split(text: string): Choice | undefined {
  const slash = text.indexOf('/')
  const provider = text.slice(0, Math.max(slash, 0))
  if (!Object.hasOwn(PROVIDERS, provider)) return undefined
  return { provider: provider as ProviderName, model: text.slice(slash + 1).trim() }
}

function missingKey(provider: ProviderName, own: boolean): string {
  const variable = PROVIDERS[provider].keyVariable
  return own
    ? `no key for ${provider}: set HOLDFAST_MODEL_KEY or ${variable}`
    : `no key for ${provider}: set ${variable} (HOLDFAST_MODEL_KEY is used only for the provider HOLDFAST_MODEL names)`
}

// No message repeats the value, because users paste keys into the wrong variable.
function readUrl(text: string | undefined): string {
  if (text === undefined) {
    throw new PromptError(
      'no address for openai-compatible: set HOLDFAST_MODEL=openai-compatible/<model> and HOLDFAST_MODEL_URL, for example http://localhost:11434/v1',
    )
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new PromptError(
      'HOLDFAST_MODEL_URL must be an http or https address, for example http://localhost:11434/v1',
    )
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new PromptError(
      'HOLDFAST_MODEL_URL must not contain a user name, password, query or fragment: a key goes into HOLDFAST_MODEL_KEY',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function readKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key
  throw new PromptError(
    'the model key contains characters that are not valid in a header: set HOLDFAST_MODEL_KEY again',
  )
}

function filled(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}
