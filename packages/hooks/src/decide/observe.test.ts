// Hooks that only observe, through plan, run and decide, in every version: whatever they say, the verdict is the one
// without them.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import { plan } from '../plan/plan.js'
import type { HookDefinition, SourceKind } from '../protocol/config.js'
import { EVENT_SPECS } from '../protocol/events.js'
import { eventsUnder, findProfile, PROFILE_NAMES } from '../protocol/profiles.js'
import type { Event } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'
import { read } from '../read/read.js'
import { run } from '../run/run.js'
import { afterEvent, newState } from '../session.js'
import { decide } from './decide.js'

const text = fc.constantFrom('one', 'two')
const answer = fc.oneof(
  fc.record(
    {
      permission: fc.constantFrom('allow', 'ask', 'deny', 'denied'),
      decision: fc.constantFrom('allow', 'deny'),
      continue: fc.boolean(),
      user_message: text,
      agent_message: text,
      userMessage: text,
      additional_context: text,
      followup_message: text,
      updated_input: fc.record({ command: text }),
      updated_mcp_tool_output: fc.record({ content: text }),
      env: fc.record({ NAME: text }),
      pluginPaths: fc.constant(['/plugin']),
    },
    { requiredKeys: [] },
  ),
  fc.constantFrom(undefined, 'not an object', new Error('it broke')),
)
const drawn = fc.record({
  source: fc.constantFrom<SourceKind>('enterprise', 'team', 'project', 'user', 'plugin'),
  file: fc.constantFrom('/a.json', '/b.json'),
  failClosed: fc.option(fc.boolean(), { nil: undefined }),
  loopLimit: fc.constantFrom(null, 0, 5),
  matcher: fc.constantFrom('all', 'invalid'),
  answer,
})
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

const events = PROFILE_NAMES.flatMap(name =>
  EVENT_SPECS.filter(spec => eventsUnder(findProfile(name)!).has(spec.name)).map(spec =>
    eventOf(spec.name, {}, name),
  ),
)

function hookOf({ answer: said, matcher, failClosed, ...rest }: Drawn, mode: HookDefinition['mode']) {
  return definition({
    ...rest,
    id: `${mode} ${JSON.stringify(rest)}`,
    mode,
    type: 'function',
    matcher: matcher === 'all' ? { kind: 'all' } : { kind: 'invalid', text: '(', error: 'x' },
    ...(failClosed === undefined ? {} : { failClosed }),
    run: () => {
      if (said instanceof Error) throw said
      return said
    },
  })
}

async function verdictOf(event: Event, hooks: readonly HookDefinition[]): Promise<Verdict> {
  const planned = plan(
    event,
    hooks.toSorted((a, b) => a.rank - b.rank),
  )
  const { runs, skipped } = await run(planned, {
    host: { env: {}, version: '3', userEmail: null, remote: false },
    platform: 'linux',
    allowedHosts: () => undefined,
    variables: [],
    read,
  })
  return decide({ event, runs, skipped: [...planned.skipped, ...skipped], durationMs: 0, denials: [] })
}

const enforced = <T extends { hook: HookDefinition }>(all: readonly T[]) =>
  all.filter(({ hook }) => hook.mode === 'enforce')

/** All that the host, the next event or a person could notice. */
function effectOf(verdict: Verdict, event: Event) {
  const { durationMs: _, observed, runs, skipped, ...rest } = verdict
  const state = newState({}, 'id', 0)
  afterEvent(state, event.spec, verdict)
  return {
    ...rest,
    overruled: verdict.overruled.map(({ run: { hook }, note }) => [hook.id, note]),
    deciders: verdict.deciders.map(({ hook }) => hook.id),
    ran: enforced(runs).map(({ hook, outcome }) => [hook.id, outcome]),
    skipped: enforced(skipped).map(({ hook, reason }) => [hook.id, reason]),
    loops: state.loopCounts,
    variables: state.variables,
  }
}

describe('hooks that only observe', () => {
  it('change nothing about the verdict, what the others do, the loop or the variables', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...events),
        fc.array(drawn, { maxLength: 4 }),
        fc.array(drawn, { minLength: 1, maxLength: 3 }),
        async (event, all, more) => {
          const hooks = all.map(each => hookOf(each, 'enforce'))
          const observers = more.map(each => hookOf(each, 'observe'))
          const without = await verdictOf(event, hooks)
          // Before and behind the others of their source.
          for (const both of [
            [...observers, ...hooks],
            [...hooks, ...observers],
          ]) {
            expect(effectOf(await verdictOf(event, both), event)).toEqual(effectOf(without, event))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('alone count as no hooks, and are listed separately', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...events),
        fc.array(drawn, { minLength: 1, maxLength: 4 }),
        async (event, all) => {
          const verdict = await verdictOf(
            event,
            all.map(each => hookOf(each, 'observe')),
          )
          expect(effectOf(verdict, event)).toEqual(effectOf(await verdictOf(event, []), event))
          expect(verdict.observed.map(({ run: one }) => one)).toEqual(verdict.runs)
        },
      ),
    )
  })

  it('are listed with the decision that they would have counted as', async () => {
    const event = eventOf('beforeShellExecution')
    const one = { source: 'team', file: '/a.json', loopLimit: null, matcher: 'all' } as const
    const hooks = [
      hookOf({ ...one, failClosed: undefined, answer: { permission: 'deny' } }, 'observe'),
      hookOf({ ...one, failClosed: true, answer: new Error('it broke') }, 'observe'),
      hookOf({ ...one, failClosed: false, answer: new Error('it broke') }, 'observe'),
    ]
    const { observed } = await verdictOf(event, hooks)
    expect(observed.map(({ decision }) => decision)).toEqual(['deny', 'deny', 'abstain'])
  })
})
