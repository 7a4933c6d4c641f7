import { describe, expect, it } from 'vitest'
import { chooseTarget, type ModelSettings, thinksFirst } from './model.js'

const KEY = 'sk-a-key-that-must-not-show'
const OTHER = 'sk-another-key-that-must-not-show'

function problem(asked: string | null, settings: ModelSettings): string {
  try {
    chooseTarget(asked, settings)
  } catch (error) {
    const { message } = error as Error
    expect(message).not.toContain(KEY)
    return message
  }
  throw new Error('there was no problem')
}

describe('where the settings come from', () => {
  it('reads the environment', () => {
    const env = {
      HOLDFAST_MODEL: 'openai-compatible/meta/llama3:8b',
      HOLDFAST_MODEL_URL: 'http://localhost:11434/v1/',
      HOLDFAST_MODEL_KEY: ` ${KEY}\n`,
    }
    expect(chooseTarget(null, { env })).toEqual({
      provider: 'openai-compatible',
      model: 'meta/llama3:8b',
      baseUrl: 'http://localhost:11434/v1',
      apiKey: KEY,
    })
  })

  it('falls back to the provider’s own key and address', () => {
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: OTHER }
    expect(chooseTarget('anthropic/claude-haiku-4-5', { env })).toMatchObject({
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: KEY,
    })
    expect(chooseTarget(null, { env: { ...env, HOLDFAST_MODEL: 'openai/gpt-5-mini' } })).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: OTHER,
    })
  })

  it('prefers what the caller gives', () => {
    const env = { HOLDFAST_MODEL: 'openai/a', HOLDFAST_MODEL_URL: 'http://b/v1', HOLDFAST_MODEL_KEY: OTHER }
    const given = { model: 'openai/x', baseUrl: 'http://y/v1', apiKey: KEY }
    expect(chooseTarget(null, { ...given, env })).toMatchObject({
      model: 'x',
      baseUrl: 'http://y/v1',
      apiKey: KEY,
    })
  })

  it('needs no key for a compatible server, and gives it none that was meant for another', () => {
    const env = {
      HOLDFAST_MODEL: 'openai-compatible/llama3',
      HOLDFAST_MODEL_URL: 'http://localhost:11434/v1',
      OPENAI_API_KEY: KEY,
      ANTHROPIC_API_KEY: KEY,
    }
    expect(chooseTarget(null, { env }).apiKey).toBeUndefined()
  })
})

describe('the model a hook names', () => {
  const env = {
    HOLDFAST_MODEL: 'openai/gpt-5-mini',
    HOLDFAST_MODEL_URL: 'http://proxy/v1',
    HOLDFAST_MODEL_KEY: KEY,
  }

  it('takes the configured provider unless it brings one', () => {
    expect(chooseTarget('gpt-5', { env })).toMatchObject({ provider: 'openai', model: 'gpt-5', apiKey: KEY })
    expect(chooseTarget('ft/gpt-5', { env })).toMatchObject({ provider: 'openai', model: 'ft/gpt-5' })
    expect(chooseTarget('openai/gpt-5', { env })).toMatchObject({
      model: 'gpt-5',
      baseUrl: 'http://proxy/v1',
    })
    expect(chooseTarget('  ', { env })).toMatchObject({ model: 'gpt-5-mini' })
  })

  it('cannot carry the configured key or address to another provider', () => {
    const both = { ...env, ANTHROPIC_API_KEY: OTHER }
    expect(chooseTarget('anthropic/claude-haiku-4-5', { env: both })).toMatchObject({
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: OTHER,
    })
    expect(problem('anthropic/claude-haiku-4-5', { env })).toMatch('set ANTHROPIC_API_KEY')
    expect(problem('openai-compatible/llama3', { env })).toMatch('HOLDFAST_MODEL_URL')
  })
})

describe('problems say what is missing and how to set it', () => {
  it.each<[string, string | null, ModelSettings, RegExp]>([
    ['nothing set', null, { env: {} }, /no model is set .* set HOLDFAST_MODEL to <provider>\/<model>/],
    ['blank', null, { env: { HOLDFAST_MODEL: ' ' } }, /no model is set/],
    ['no provider', null, { env: { HOLDFAST_MODEL: 'gpt-5' } }, /HOLDFAST_MODEL must be <provider>\/<model>/],
    [
      'unknown provider',
      null,
      { env: { HOLDFAST_MODEL: 'acme/x' } },
      /HOLDFAST_MODEL must be .*openai-compatible/,
    ],
    ['inherited name', null, { env: { HOLDFAST_MODEL: 'toString/x' } }, /HOLDFAST_MODEL must be/],
    ['no model', null, { env: { HOLDFAST_MODEL: 'openai/' } }, /HOLDFAST_MODEL must be/],
    ['a key as model', null, { env: { HOLDFAST_MODEL: KEY } }, /HOLDFAST_MODEL must be/],
    ['hook without provider', 'gpt-5', { env: {} }, /names no provider and HOLDFAST_MODEL is not set/],
    ['hook without model', 'openai/ ', { env: {} }, /the hook's "model" must be/],
    [
      'no key',
      null,
      { env: { HOLDFAST_MODEL: 'anthropic/c' } },
      /set HOLDFAST_MODEL_KEY or ANTHROPIC_API_KEY/,
    ],
    ['no address', null, { env: { HOLDFAST_MODEL: 'openai-compatible/l' } }, /set .*HOLDFAST_MODEL_URL/],
    ['a key as address', null, { model: 'openai/x', apiKey: KEY, baseUrl: KEY, env: {} }, /must be an http/],
    ['a file', null, { model: 'openai/x', apiKey: KEY, baseUrl: 'file:///x', env: {} }, /must be an http/],
    [
      'a password',
      null,
      { model: 'openai/x', apiKey: 'k', baseUrl: `http://u:${KEY}@h/v1`, env: {} },
      /user name/,
    ],
    [
      'a query',
      null,
      { model: 'openai/x', apiKey: 'k', baseUrl: `http://h/v1?key=${KEY}`, env: {} },
      /query/,
    ],
    [
      'a broken key',
      null,
      { model: 'openai/x', apiKey: `${KEY}\nx`, env: {} },
      /set HOLDFAST_MODEL_KEY again/,
    ],
    ['a foreign key', null, { model: 'openai/x', apiKey: `${KEY}–`, env: {} }, /not valid in a header/],
  ])('%s', (_, asked, settings, expected) => {
    expect(problem(asked, settings)).toMatch(expected)
  })
})

it('knows the models that think first by name', () => {
  const thinking = ['o3-mini', 'gpt-5', 'gpt-5.1', 'openai/gpt-5-mini', 'claude-sonnet-5', 'claude-opus-5-5']
  const direct = [
    'gpt-4o',
    'gpt-5-chat-latest',
    'gpt-5.1-chat-latest',
    'claude-haiku-4-5',
    'claude-3-haiku',
    'llama3',
    'ollama',
  ]
  expect(thinking.filter(name => !thinksFirst(name))).toEqual([])
  expect(direct.filter(thinksFirst)).toEqual([])
})
