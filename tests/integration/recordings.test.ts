// Recordings of our own, in the shapes that agents send: the replay of scripts/replay-recordings.mjs, and for each
// payload its exact events with their fields. UPDATE_RECORDINGS=1 writes the events instead of comparing them; review
// them with care. By default sets of hooks other than those that deny and allow receive one payload of each event and
// kind of tool; `npm run test:all` plays every payload under every set.

import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEvent } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { AGENTS, type Answered } from '../fixtures/agents.js'
import { missesIn } from '../fixtures/replay/check.js'
import { type Played, play } from '../fixtures/replay/play.js'
import { type Json, type Recording, recordingsIn } from '../fixtures/replay/recording.js'
import { compared, type ReplayOptions, replay } from '../fixtures/replay/replay.js'
import { SETS, type SetName } from '../fixtures/replay/sets.js'
import { runsEverything } from '../scope.js'

const folder = fileURLToPath(new URL('../fixtures/recordings', import.meta.url))
const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
const recordings = recordingsIn(folder)

const OPTIONS: ReplayOptions = runsEverything
  ? {}
  : {
      // The tests of single recordings play all of them under "allow".
      sets: SETS.filter(set => set !== 'allow'),
      sampled: SETS.filter(set => set !== 'deny'),
    }

describe.each(AGENTS)('%s', agent => {
  const own = recordings.filter(recording => recording.agent === agent)

  it('responds correctly to payloads under every set of hooks', async () => {
    const [result] = await replay(own, OPTIONS)
    expect(result!.misses.map(({ file, miss }) => `${basename(file)}: ${miss}`)).toEqual([])
    expect(result!.denied).toBe(result!.gates)
    expect(result!.gates).toBeGreaterThan(5)
  })

  it('says the same as a process', { timeout: 60_000 }, async () => {
    const session = own.find(({ file }) => basename(file) === 'session.json')!
    // A prompt and a call; both are denied.
    const few = { ...session, runs: session.runs.slice(...(runsEverything ? [0, 4] : [1, 3])) }
    expect(await compared(few, BIN, ['deny'])).toEqual([])
  })

  it.each(own.map(recording => [basename(recording.file), recording] as const))(
    '%s becomes these events',
    { timeout: 60_000 },
    async (_, recording) => {
      const played = await play(recording, 'allow')
      if (process.env.UPDATE_RECORDINGS) return writeDown(recording.file, played)
      expect(missesIn(recording, 'allow', played)).toEqual([])
      for (const [index, { run, ...one }] of played.entries()) {
        const what = `runs[${index}] ${run.stdin.hook_event_name ?? run.event}`
        expect({ what, events: one.seen.map(fieldsOf) }).toEqual({ what, events: run.events })
        expect({ what, note: noteIn(one) }).toEqual({ what, note: run.note })
      }
    },
  )
})

/** The fields of the event itself, and the ids of its conversation. */
function fieldsOf(payload: Json): Json {
  const { hook_event_name, conversation_id } = payload
  const own = Object.keys(findEvent(String(hook_event_name))!.payload).filter(key => key in payload)
  return {
    event: hook_event_name,
    conversation_id,
    ...Object.fromEntries(own.map(key => [key, payload[key]])),
  }
}

const noteIn = ({ answered }: Pick<Played, 'answered'>): string | undefined =>
  answered.stderr === '' ? undefined : answered.stderr.replaceAll('holdfast bridge: ', '').trimEnd()

function writeDown(file: string, played: readonly Played[]): void {
  const recording = JSON.parse(readFileSync(file, 'utf8'))
  const runs = played.map(({ run: { events: _, note: __, ...run }, ...one }) => {
    const note = noteIn(one)
    return { ...run, events: one.seen.map(fieldsOf), ...(note === undefined ? {} : { note }) }
  })
  writeFileSync(file, `${JSON.stringify({ ...recording, runs }, null, 2)}\n`)
}

describe('the checks', () => {
  const shell = {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  }
  const recording: Recording = { agent: 'codex', file: 'f', files: {}, runs: [] }
  const misses = (
    set: SetName,
    stdout: object | string,
    more: Partial<Answered> = {},
    stdin: Json = shell,
  ) => {
    const text = typeof stdout === 'string' ? stdout : `${JSON.stringify(stdout)}\n`
    const answered = { stdout: text, stderr: '', exitCode: 0, ...more }
    return missesIn(recording, set, [{ run: { stdin }, answered, seen: [] }]).join('\n')
  }
  const specific = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })
  const deny = specific({ permissionDecision: 'deny', permissionDecisionReason: 'Not today.' })

  it.each<[string, SetName, object | string, Partial<Answered>?, Json?]>([
    ['exit code 1', 'deny', deny, { exitCode: 1 }],
    ['it is not JSON', 'deny', 'Not today.'],
    ['it is not one line', 'deny', `log\n${JSON.stringify(deny)}\n`.replace('log', '')],
    ['"permission" is not known', 'deny', { permission: 'deny' }],
    ['"permissionDecision" is "ask"', 'allow', specific({ permissionDecision: 'ask' })],
    ['it speaks of PostToolUse', 'none', { hookSpecificOutput: { hookEventName: 'PostToolUse' } }],
    ['it was not stopped', 'deny', ''],
    ['without the reason', 'deny', specific({ permissionDecision: 'deny' })],
    ['it was not stopped', 'crash closed', ''],
    ['wrongly stopped', 'crash', deny],
    ['wrongly stopped', 'allow', deny],
    ['it became nothing, not preToolUse, beforeShellExecution', 'allow', ''],
    ['an answer that nobody gave', 'none', deny],
    ['a word on stderr', 'none', '', { stderr: 'hm' }],
    ['the new input is not in the answer', 'rewrite', ''],
    [
      'not whole',
      'rewrite',
      specific({ permissionDecision: 'allow', updatedInput: { holdfast_replay: 'yes' } }),
    ],
    ['the context is not in the answer', 'context', '', {}, { ...shell, hook_event_name: 'PostToolUse' }],
    ['the follow-up is not in the answer', 'follow-up', '', {}, { hook_event_name: 'Stop' }],
    ['no word about an unknown event', 'none', '', {}, { hook_event_name: 'Later' }],
  ])('find: %s', (miss, set, stdout, more, stdin) => expect(misses(set, stdout, more, stdin)).toContain(miss))

  it('are content with what is right', () => {
    expect(misses('deny', deny)).toBe('')
    expect(misses('none', '')).toBe('')
  })
})
