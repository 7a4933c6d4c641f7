import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { definition, eventOf, exitOf, judged } from '../../../../tests/fixtures/definition.js'
import { FAILING_ANSWERS, UNCLEAR_ANSWERS } from '../../../../tests/fixtures/unclear-answers.js'
import { SOURCES, type SourceKind } from '../protocol/config.js'
import type { Response } from '../protocol/response-fields.js'
import type { Event } from '../protocol/run.js'
import { type EnforceOptions, enforce, type OnAsk, questionLine } from './enforce.js'

const EVERY_SOURCE = Object.keys(SOURCES) as SourceKind[]
const event = eventOf('preToolUse', { tool_name: 'Shell', tool_input: { command: 'ls', cwd: '/' } })

const enforced = (
  answer: Response,
  options: Partial<EnforceOptions> = {},
  { source = 'user', on = event }: { source?: SourceKind; on?: Event } = {},
) => {
  const hook = definition({ source, rank: SOURCES[source].rank })
  const runs = [{ hook, exit: exitOf(), outcome: { kind: 'answered', answer } as const, notes: [] }]
  return enforce(on.spec, on.fields, judged(on, runs), { onAsk: undefined, grants: EVERY_SOURCE, ...options })
}

const asking = (answer: () => unknown) => enforced({ permission: 'ask' }, { onAsk: answer as OnAsk })

describe('an ask', () => {
  it.each([
    ['true', () => true],
    ['a promise of true', async () => true],
  ])('is approved by %s', async (_, answer) => {
    expect(await asking(answer)).toMatchObject({ kind: 'go', granted: true })
  })

  it.each(UNCLEAR_ANSWERS)('is not approved by %s', async (_, answer) => {
    const result = await asking(answer)
    expect(result).toMatchObject({ kind: 'stop' })
    expect(JSON.stringify(result)).toContain('did not approve')
  })

  it.each(FAILING_ANSWERS)('is not approved by %s', async (_, answer) => {
    await expect(asking(answer)).rejects.toThrow('no terminal')
  })

  it('is denied when nobody can be asked', async () => {
    const result = await enforced({ permission: 'ask' })
    expect(JSON.stringify(result)).toContain('this host cannot ask the user')
    expect(result.kind).toBe('stop')
  })

  it('shows the input as the hooks changed it', async () => {
    const seen: unknown[] = []
    const onAsk: OnAsk = ({ fields, message }) => seen.push(fields.tool_input, message) > 0
    const answer = { permission: 'ask', user_message: 'sure?', updated_input: { command: 'pwd' } } as const
    const result = await enforced(answer, { onAsk })
    expect(seen).toEqual([{ command: 'pwd', cwd: '/' }, 'sure?'])
    expect(result).toMatchObject({ kind: 'go', fields: { tool_input: { command: 'pwd', cwd: '/' } } })
  })
})

describe('a grant', () => {
  it.each(EVERY_SOURCE)('comes from an allow of %s only when that source may grant', async source => {
    const others = EVERY_SOURCE.filter(each => each !== source)
    expect(await enforced({ permission: 'allow' }, { grants: [source] }, { source })).toMatchObject({
      granted: true,
    })
    expect(await enforced({ permission: 'allow' }, { grants: others }, { source })).toMatchObject({
      kind: 'go',
      granted: false,
    })
  })

  it('does not come from silence, or from an event that asks for no permission', async () => {
    expect(await enforced({})).toMatchObject({ kind: 'go', granted: false })
    const on = eventOf('beforeSubmitPrompt')
    expect(await enforced({ continue: true }, {}, { on })).toMatchObject({ kind: 'go', granted: false })
  })

  it.each([
    [{ permission: 'deny' }, event],
    [{ continue: false }, eventOf('beforeSubmitPrompt')],
  ] as const)('is no part of %j, and nobody is asked', async (answer, on) => {
    const onAsk = () => expect.fail('asked about a denied action')
    expect(await enforced(answer, { onAsk }, { on })).toMatchObject({ kind: 'stop' })
  })
})

describe('a question in line', () => {
  it.each(UNCLEAR_ANSWERS)('is answered no by %s', async (_, answer) => {
    expect(await questionLine()(answer as () => boolean)).toBe(false)
  })

  it.each(FAILING_ANSWERS)('passes the error of %s on, and the next question is asked', async (_, answer) => {
    const ask = questionLine()
    const failing = ask(answer as () => boolean)
    const next = ask(() => true)
    await expect(failing).rejects.toThrow('no terminal')
    expect(await next).toBe(true)
  })

  it('is answered no when it is aborted before, while and after it waits', async () => {
    const never = () => new Promise<boolean>(() => {})
    const ask = questionLine()
    expect(await ask(() => expect.fail('asked'), AbortSignal.abort())).toBe(false)
    const controller = new AbortController()
    const open = ask(never, controller.signal)
    const waiting = ask(() => expect.fail('asked'), controller.signal)
    controller.abort()
    expect(await Promise.all([open, waiting])).toEqual([false, false])
    expect(await ask(() => true, controller.signal)).toBe(false)
    expect(await ask(() => true)).toBe(true)
  })

  it('is answered no at once when it was aborted before, whatever is open', async () => {
    const ask = questionLine()
    let answerFirst = (_yes: boolean) => {}
    const first = ask(() => new Promise<boolean>(resolve => (answerFirst = resolve)))
    const said: boolean[] = []
    const second = ask(() => expect.fail('asked'), AbortSignal.abort()).then(yes => said.push(yes))
    await setImmediate()
    expect(said).toEqual([false])
    answerFirst(true)
    expect(await first).toBe(true)
    await second
  })

  it('is not asked while the first is open, when one between them is aborted', async () => {
    const ask = questionLine()
    let answerFirst = (_yes: boolean) => {}
    const first = ask(() => new Promise<boolean>(resolve => (answerFirst = resolve)))
    const controller = new AbortController()
    const between = ask(() => expect.fail('asked'), controller.signal)
    let isAsked = false
    const third = ask(() => (isAsked = true))
    controller.abort()
    expect(await between).toBe(false)
    await setImmediate()
    expect(isAsked).toBe(false)
    answerFirst(false)
    expect(await Promise.all([first, third])).toEqual([false, true])
  })
})
