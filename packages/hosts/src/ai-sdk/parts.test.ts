// The small parts around a model, each by itself: what it may reach, and what of an error may be shown.

import type { PromptQuestion } from '@holdfast/hooks/protocol'
import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { boundedFetch } from './bounded-fetch.js'
import { promptEvaluator } from './evaluate.js'
import { explain } from './explain.js'
import { chooseTarget } from './model.js'
import { openTab } from './tab/tab.js'

const question: PromptQuestion = {
  system: 'You decide whether a condition holds for an event.',
  prompt: 'The command deletes the folder of the customer database.',
  model: null,
  timeoutMs: 1000,
  signal: new AbortController().signal,
} as PromptQuestion

describe('a response of the model', () => {
  const answering = (status: number, body: string | null = null) =>
    boundedFetch(async () => new Response(body, { status }), 4)('http://model.test')

  it.each([300, 301, 302, 303, 307, 308, 399])('with the status %i is not followed', async status => {
    await expect(answering(status)).rejects.toThrow(`answered ${status}, a redirect`)
  })

  it.each([200, 299, 400])('with the status %i is returned', async status => {
    expect((await answering(status)).status).toBe(status)
  })

  it('is read up to its limit and not further', async () => {
    expect(await (await answering(200, 'abcd')).text()).toBe('abcd')
    await expect((await answering(200, 'abcde')).text()).rejects.toThrow('larger than 4 bytes')
  })
})

describe('an error of a provider', () => {
  const target = chooseTarget('anthropic/m', { env: { ANTHROPIC_API_KEY: 'key-0123456789abcdef' } })
  const shown = (message: string) => {
    const error = new APICallError({ message, url: '', requestBodyValues: {}, statusCode: 400 })
    return explain(error, target, question).message
  }

  it.each(['wrong key key-0123456789abcdef', 'wrong key 0123456789', 'wrong key sk-proj-12**********34'])(
    'is shown without the key: %s',
    message => {
      expect(shown(message)).toMatch(/: wrong key (key-)?\[key\](89)?$/)
    },
  )

  it.each([
    ['the system text', 'bad: You decide whether a condition holds'],
    ['the question', 'bad: deletes the folder of the customer'],
  ])('that repeats %s is left out', (_, message) => {
    expect(shown(message)).toBe('anthropic answered 400: (its message repeats the question and is left out)')
  })
})

describe('the settings of a model', () => {
  const choose = (url: string, key = 'k') =>
    chooseTarget(null, { model: 'openai-compatible/m', baseUrl: url, apiKey: key, env: {} })

  it.each([
    'http://user@a/v1',
    'http://:word@a/v1',
    'http://user:word@a/v1',
    'http://a/v1?key=x',
    'http://a/v1#key',
  ])('refuse the address %s', url => {
    expect(() => choose(url)).toThrow('must not contain a user name, password, query or fragment')
  })

  it.each(['ftp://a/v1', 'file:///a', 'a/v1'])('refuse the address %s as no http', url => {
    expect(() => choose(url)).toThrow('must be an http or https address')
  })

  it.each(['a b', 'a\nb', 'a\tb', 'kéy', 'a\u007f'])('refuse the key %j', key => {
    expect(() => choose('http://a/v1', key)).toThrow('characters that are not valid in a header')
  })
})

it('waits for an answer when the limit is longer than a timer can be', async () => {
  // Node takes a timer that is too long for one of 1 ms, which comes before this one.
  const fetch = () => new Promise<Response>((_, no) => setTimeout(() => no(new Error('asked')), 5))
  const evaluate = promptEvaluator({ model: 'openai-compatible/m', baseUrl: 'http://a/v1', env: {}, fetch })
  await expect(evaluate({ ...question, timeoutMs: 2 ** 32 })).rejects.not.toThrow('did not answer within')
})

it.each([new AbortController().signal, undefined])(
  'asks before inline completion reads (%#)',
  async signal => {
    const asked: unknown[] = []
    const session = { guard: async (...all: unknown[]) => void asked.push(all) }
    const tab = openTab(session as never)
    expect(await tab.read('/a', 'text', signal)).toEqual({ kind: 'go', content: 'text' })
    const fields = { file_path: '/a', content: 'text' }
    expect(asked).toEqual([['beforeTabFileRead', fields, signal ? { signal } : {}]])
  },
)
