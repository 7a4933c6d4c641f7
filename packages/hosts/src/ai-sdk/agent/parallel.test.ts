// Several tool calls in one answer of the model.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, eventsIn, given, saying, until } from './testing/running.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const shell = (...commands: string[]) => ({
  calls: commands.map(command => ({ tool: 'Shell', input: { command } })),
})

describe('calls side by side', () => {
  it('have their events in order, each for itself', async () => {
    place.audit()
    const { agent } = await agentIn(place, [
      { calls: [...shell('sleep 0.3', 'echo fast').calls, { tool: 'LS', input: {} }] },
      { text: 'Ok.' },
    ])
    await agent.send('Go')
    await agent.end()
    const of = (id: string) =>
      place
        .audited()
        .filter(event => event.tool_use_id === id)
        .map(({ hook_event_name }) => hook_event_name)
    expect(of('scripted-1-1')).toEqual(['preToolUse', 'beforeShellExecution', 'postToolUse'])
    expect(of('scripted-1-2')).toEqual(['preToolUse', 'beforeShellExecution', 'postToolUse'])
    expect(of('scripted-1-3')).toEqual(['preToolUse', 'postToolUse'])
    const names = place.audited().map(({ hook_event_name }) => hook_event_name)
    // Nothing of the next step before all of this one.
    expect(names.lastIndexOf('postToolUse')).toBeLessThan(names.indexOf('afterAgentResponse'))
    const after = eventsIn(place, 'afterShellExecution').map(({ command }) => command)
    expect(after).toEqual(['echo fast', 'sleep 0.3'])
  })

  it('go on when one of them is denied', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'deny' }, { matcher: 'made-b' })] })
    const { agent, model } = await agentIn(place, [
      shell('touch made-a', 'touch made-b', 'touch made-c'),
      { text: 'Ok.' },
    ])
    await agent.send('Go')
    await agent.end()
    expect(['made-a', 'made-b', 'made-c'].map(place.has)).toEqual([true, false, true])
    expect(given(model.prompts[1]).match(/was rejected by a hook/g)).toHaveLength(1)
    expect(eventsIn(place, 'postToolUseFailure')).toMatchObject([{ tool_use_id: 'scripted-1-2' }])
  })

  it('put their questions one after the other, those of hooks and of the application', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'ask' }, { matcher: '-hook' })] })
    let open = 0
    const asked: string[] = []
    const answer = async (what: string) => {
      open++
      expect(open).toBe(1)
      asked.push(what)
      await new Promise(wait => setTimeout(wait, 30))
      open--
      // Yes to every other one: an answer that went to the wrong call would show.
      return !what.includes('no')
    }
    const { agent } = await agentIn(
      place,
      [shell('touch a-hook', 'touch no-b-hook', 'touch c-own', 'touch no-d-own'), { text: 'Ok.' }],
      { approve: ({ input }) => answer(String(input.command)) },
      { onAsk: ({ fields }) => answer(String(fields.command)) },
    )
    await agent.send('Go')
    await agent.end()
    expect(asked).toHaveLength(4)
    expect(['a-hook', 'no-b-hook', 'c-own', 'no-d-own'].map(place.has)).toEqual([true, false, true, false])
  })

  it('end together when the user stops the turn while a question is open', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'ask' })] })
    let asked = 0
    const { agent } = await agentIn(
      place,
      [shell('touch a', 'touch b')],
      {},
      {
        // It does not look at the signal.
        onAsk: () => {
          asked++
          return new Promise(() => {})
        },
      },
    )
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await until(() => asked === 1)
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted' })
    await agent.end('aborted')
    expect(asked).toBe(1)
    expect(eventsIn(place, 'postToolUseFailure')).toMatchObject([
      { is_interrupt: true, failure_type: 'error' },
      { is_interrupt: true, failure_type: 'error' },
    ])
    expect(eventsIn(place, 'sessionEnd')).toHaveLength(1)
    expect(['a', 'b'].some(place.has)).toBe(false)
  })
})
