// Runs in the panel: the log behind it, its pages, its sums, the stream, and conversations.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { RunSummary } from '@holdfast/web/panel'
import { afterEach, describe, expect, it } from 'vitest'
import { spansOf } from '../../packages/web/src/panel/pages/sessions/spans.js'
import { itInAll } from '../scope.js'
import { enter, type Inside, openStream } from './calls.js'
import { type PanelOptions, startPanel, type TestPanel } from './panel.js'

let panel: TestPanel
let inside: Inside

async function open(options: PanelOptions = {}) {
  panel = await startPanel(options)
  inside = await enter(panel.link)
}
afterEach(() => panel.stop())

let number = 0

/** A record as the engine writes it, so many minutes after the first. */
function record(more: Readonly<Record<string, unknown>> = {}) {
  const id = `0mz${String(++number).padStart(6, '0')}-0001-test`
  return {
    id,
    event_id: id,
    time: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
    event: 'beforeShellExecution',
    profile: 'holdfast',
    source: 'project',
    hook: './.cursor/hooks/guard.sh',
    file: `${panel.root}/.cursor/hooks.json`,
    line: 6,
    conversation_id: 'c1',
    generation_id: '',
    request: { command: `git commit ${number}`, workspace_roots: [panel.root] },
    response: { permission: 'allow' },
    outcome: 'answered',
    permission: 'allow',
    failure: null,
    message: null,
    exit_code: 0,
    signal: null,
    duration_ms: 12,
    stderr: '',
    notes: [],
    failed_open: false,
    verdict: { permission: 'allow', continue: null },
    redacted: [],
    ...more,
  }
}

const DENY = {
  permission: 'deny',
  response: { permission: 'deny', user_message: 'Never on Fridays' },
  verdict: { permission: 'deny', continue: null },
}

function put(...records: readonly object[]) {
  mkdirSync(dirname(panel.logFile), { recursive: true })
  appendFileSync(panel.logFile, records.map(one => `${JSON.stringify(one)}\n`).join(''))
}

const many = (count: number, more: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => record(more(at) as Record<string, unknown>))

async function allPages(filter: object, pageSize: number): Promise<RunSummary[]> {
  const runs: RunSummary[] = []
  let pageToken = ''
  do {
    const page = await inside.call('listRuns', { filter, pageSize, pageToken })
    runs.push(...page.runs)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return runs
}

describe('the list', () => {
  it('is empty where there is no log, and has what a real run leaves', async () => {
    await open()
    expect(await inside.call('listRuns')).toMatchObject({ runs: [], cursor: '', nextPageToken: '' })
    expect(await inside.call('countRuns')).toMatchObject({ total: 0, bars: [] })
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force')
    const { runs, cursor } = await inside.call('listRuns')
    // One event is one row: the hook that decided comes first.
    expect(runs).toMatchObject([
      {
        verdict: 'deny',
        subject: 'git push --force',
        hooks: [
          { hook: 'guard.sh', source: 'project', verdict: 'deny' },
          { hook: 'watch.sh', source: 'project', verdict: 'none' },
        ],
      },
    ])
    expect(runs[0]!.durationMs).toBeGreaterThan(0)
    expect(runs[0]!.hooks.map(({ id }) => id)).toContain(cursor)
  })

  it('goes on page by page, newest first, whatever comes meanwhile', async () => {
    await open()
    const before = many(25)
    put(...before)
    const first = await inside.call('listRuns', { pageSize: 10 })
    put(...many(5))
    const second = await inside.call('listRuns', { pageSize: 10, pageToken: first.nextPageToken })
    const third = await inside.call('listRuns', { pageSize: 10, pageToken: second.nextPageToken })
    expect([...first.runs, ...second.runs, ...third.runs].map(({ id }) => id)).toEqual(
      before.map(({ id }) => id).reverse(),
    )
    expect(third.nextPageToken).toBe('')
    // A page that is exactly full does not promise another.
    expect((await inside.call('listRuns', { pageSize: 30 })).nextPageToken).toBe('')
    for (const pageToken of ['x', '!!', Buffer.from('after nobody').toString('base64url'), '%00']) {
      await expect(inside.call('listRuns', { pageToken })).rejects.toMatchObject({ code: 'invalid_argument' })
    }
    await expect(inside.call('listRuns', { pageSize: -1 })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    expect((await inside.call('listRuns', { pageSize: 1_000_000 })).runs).toHaveLength(30)
  })

  it('is read from any place of it, and says how much is behind', async () => {
    await open()
    put(...many(50, at => (at % 5 === 0 ? DENY : {})))
    const filter = { verdicts: ['deny'] }
    for (const asked of [{}, { filter }]) {
      const all = await allPages(asked.filter ?? {}, 1000)
      const { nextPageToken: pageToken, behind } = await inside.call('listRuns', { ...asked, pageSize: 3 })
      expect(behind).toBe(all.length)
      const rest = all.length - 3
      put(...many(2, () => DENY))
      for (const skip of [0, 2, rest - 1, rest, rest + 9]) {
        const page = await inside.call('listRuns', { ...asked, pageSize: 4, pageToken, skip })
        expect(page.runs.map(({ id }) => id)).toEqual(all.slice(3 + skip, 7 + skip).map(({ id }) => id))
        expect(page.behind).toBe(rest)
        expect(page.nextPageToken === '').toBe(skip + 4 >= rest)
      }
    }
    await expect(inside.call('listRuns', { skip: -1 })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('is narrowed by every filter, and by all of them together', async () => {
    await open()
    put(
      record({ ...DENY, request: { command: 'rm -rf /' } }),
      record({
        event: 'afterFileEdit',
        request: { file_path: '/p/Ünï.ts' },
        permission: null,
        response: {},
        verdict: { permission: null, continue: null },
      }),
      record({ source: 'user', hook: 'node own.mjs --x', conversation_id: 'c2' }),
      record({
        outcome: 'failed',
        failed_open: true,
        failure: 'run/exit',
        exit_code: 1,
        permission: null,
        stderr: 'Error: boom\n',
        response: null,
      }),
      record({ mode: 'observe', would: 'deny', ...DENY, verdict: { permission: null, continue: null } }),
    )
    const subjects = async (filter: object) =>
      (await allPages(filter, 2)).map(
        ({ verdict, event, hooks }) => `${verdict} ${event} ${hooks.map(({ source }) => source).join()}`,
      )
    expect(await subjects({ verdicts: ['deny', 'failed_open'] })).toEqual([
      'failed_open beforeShellExecution project',
      'deny beforeShellExecution project',
    ])
    expect(await subjects({ verdicts: ['observed_deny'] })).toHaveLength(1)
    expect(await subjects({ events: ['afterFileEdit'] })).toEqual(['none afterFileEdit project'])
    expect(await subjects({ sources: ['user'] })).toHaveLength(1)
    expect(await subjects({ hooks: ['user node own.mjs --x'] })).toHaveLength(1)
    expect(await subjects({ conversationId: 'c2' })).toHaveLength(1)
    expect(await subjects({ text: 'RM -RF' })).toHaveLength(1)
    expect(await subjects({ text: 'ünï' })).toHaveLength(1)
    expect(await subjects({ text: 'never fridays rm' })).toHaveLength(1)
    expect(await subjects({ text: 'boom' })).toHaveLength(1)
    expect(await subjects({ text: 'own.mjs shell' })).toHaveLength(1)
    expect(await subjects({ text: 'nothing like it' })).toEqual([])
    expect(await subjects({ text: 'guard', verdicts: ['deny'], conversationId: 'c2' })).toEqual([])
    expect(
      await subjects({ hookId: 'project:.cursor/hooks.json:hooks.beforeShellExecution[0]' }),
    ).toHaveLength(3)
    expect(await subjects({ hookId: 'nobody' })).toEqual([])
    const all = await allPages({}, 100)
    expect(await subjects({ from: all[1]!.at })).toHaveLength(2)
    expect(await subjects({ to: all[1]!.at })).toHaveLength(3)
    await expect(inside.call('listRuns', { filter: { from: 'soon' } })).rejects.toMatchObject({
      message: '"from" is not a time. Write it as 2026-01-31T09:00:00Z.',
    })
  })

  it('survives what a log may hold, and a file that is set aside', async () => {
    await open()
    put(...many(3))
    appendFileSync(
      panel.logFile,
      'garbage\n\u0000\n{"id":"x","time":"t","event":"e","outcome":"o","request":null}\n',
    )
    appendFileSync(panel.logFile, JSON.stringify(record()).slice(0, 120))
    put(record({ subject: 1, hook: 7, stderr: null, outcome: 'failed', request: { command: '\ud800' } }))
    put(
      record({
        id: 'odd',
        event_id: 'odd',
        duration_ms: 'long',
        permission: 5,
        line: {},
        exit_code: 1e12,
        stderr: 5,
        message: [],
        file: 7,
        notes: 'x',
        redacted: [1],
        conversation_id: 9,
      }),
    )
    const { runs: odd } = await inside.call('listRuns')
    expect(odd.length).toBeGreaterThanOrEqual(3)
    for (const { id } of odd) await inside.call('getRun', { id })
    renameSync(panel.logFile, `${panel.logFile}.1`)
    put(record({ request: { command: 'after' } }))
    const { runs } = await inside.call('listRuns')
    expect(runs[0]!.subject).toBe('after')
    const old = runs.at(-1)!
    expect((await inside.call('getRun', { id: old.id })).path!.steps).toHaveLength(1)
    rmSync(`${panel.logFile}.1`)
    await expect(inside.call('getRun', { id: old.id })).rejects.toMatchObject({
      code: 'not_found',
      message: 'The part of the log with this run has been removed since.',
    })
    await expect(inside.call('getRun', { id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('sums', () => {
  it('are those of the list, whatever the filter', async () => {
    await open()
    put(...many(90, at => (at % 3 === 0 ? DENY : {})))
    const filter = { text: 'commit', from: '2026-01-01T00:00:00Z' }
    const counted = await inside.call('countRuns', { filter, buckets: 12 })
    const listed = await allPages(filter, 1000)
    expect(counted.total).toBe(listed.length)
    expect(counted.verdicts.map(({ name, count }) => [name, count])).toEqual([
      ['allow', 60],
      ['deny', 30],
    ])
    expect(counted.bars.length).toBeLessThanOrEqual(12)
    const inBars = counted.bars.flatMap(({ verdicts }) => verdicts).reduce((sum, { count }) => sum + count, 0)
    expect(inBars).toBe(90)
    for (const [index, bar] of counted.bars.entries()) {
      expect(bar.from < bar.to).toBe(true)
      if (index > 0) expect(bar.from).toBe(counted.bars[index - 1]!.to)
    }
    expect(counted.events).toMatchObject([{ name: 'beforeShellExecution', count: 90 }])
    expect(counted.hooks).toMatchObject([
      { name: 'project ./.cursor/hooks/guard.sh', label: 'guard.sh', count: 90 },
    ])
    expect((await inside.call('countRuns', { buckets: 100_000 })).bars.length).toBeLessThanOrEqual(240)
    expect((await inside.call('countRuns', { filter: { text: 'nothing' } })).total).toBe(0)
  })

  it('take odd times as they come', async () => {
    await open()
    put(
      record({ time: 'never' }),
      record({ time: '0001-01-01T00:00:00Z' }),
      record({ time: '9999-01-01T00:00:00Z' }),
    )
    const { total, bars } = await inside.call('countRuns')
    expect(total).toBe(3)
    expect(bars.length).toBeGreaterThan(0)
    await inside.call('countRuns', { filter: { from: '2030-01-01T00:00:00Z', to: '2029-01-01T00:00:00Z' } })
  })
})

describe('one hook', () => {
  it('is one hook wherever its workspace is, and two hooks of the same name are two', async () => {
    await open()
    put(
      record(),
      record({ hook: `${panel.root}/.cursor/hooks/guard.sh` }),
      record({ source: 'user', hook: `${panel.home}/guard.sh`, file: `${panel.home}/.cursor/hooks.json` }),
      record({ file: '/elsewhere/.cursor/hooks.json' }),
      record({ source: 'team', hook: '/managed/1/guard.sh', hook_id: 7 }),
      record({ source: 'team', hook: '/managed/2/guard.sh', hook_id: 7 }),
    )
    const { hooks } = await inside.call('countRuns')
    const own = 'project ./.cursor/hooks/guard.sh'
    const other = 'project /elsewhere/.cursor/hooks.json ./.cursor/hooks/guard.sh'
    const user = `user ${panel.home}/guard.sh`
    expect(hooks.map(({ name, count, label }) => [name, count, label])).toEqual(
      expect.arrayContaining([
        [own, 2, `guard.sh (${own})`],
        ['team 7', 2, 'guard.sh (team 7)'],
        [other, 1, `guard.sh (${other})`],
        [user, 1, `guard.sh (${user})`],
      ]),
    )
    expect(hooks).toHaveLength(4)
    expect((await inside.call('listRuns', { filter: { hooks: [own] } })).runs).toHaveLength(2)
  })
})

describe('an event', () => {
  it('has one verdict: one that was denied did not fail open', async () => {
    await open()
    const failed = { outcome: 'failed', failed_open: true, permission: null, response: null }
    const denied = record(DENY)
    const event = { event_id: denied.id }
    const open_ = { verdict: { permission: null, continue: null } }
    const other = record({ ...failed, ...open_ })
    put(
      denied,
      record({ ...event, ...failed, verdict: DENY.verdict }),
      other,
      record({ event_id: other.id, ...open_, permission: 'allow' }),
    )
    const { runs } = await inside.call('listRuns')
    expect(runs.map(({ verdict, hooks }) => [verdict, hooks.map(each => each.verdict)])).toEqual([
      ['failed_open', ['failed_open', 'allow']],
      ['deny', ['deny', 'failed']],
    ])
    const { verdicts } = await inside.call('countRuns')
    expect(verdicts.map(({ name, count }) => [name, count])).toEqual([
      ['deny', 1],
      ['failed_open', 1],
    ])
    const { path } = await inside.call('getRun', { id: denied.id })
    expect(path!.steps.map(({ verdict }) => verdict)).toEqual(['deny', 'failed'])
  })

  it('has a chart that covers the data, not the complete range', async () => {
    await open()
    put(...many(60))
    const filter = { from: '2020-01-01T00:00:00Z' }
    const { bars } = await inside.call('countRuns', { filter, buckets: 40 })
    const filled = bars.filter(({ verdicts }) => verdicts.length > 0)
    expect(filled.length).toBeGreaterThan(30)
    put(record({ time: new Date(Date.UTC(2026, 0, 2)).toISOString(), request: { command: 'alone' } }))
    const alone = await inside.call('countRuns', { filter: { ...filter, text: 'alone' } })
    const length = Date.parse(alone.bars.at(-1)!.to) - Date.parse(alone.bars[0]!.from)
    expect(length).toBe(60_000)
  })
})

describe('a run', () => {
  it('comes with all runs of its event, also from logs that do not number them', async () => {
    await open()
    const request = { command: 'same', workspace_roots: [panel.root] }
    const old = { event_id: undefined, request, verdict: DENY.verdict }
    const [one, two, other] = [
      record({ ...old, ...DENY, request }),
      record({ ...old, hook: 'other.sh', line: 7 }),
      record({ ...old, ...DENY, request: { command: 'another' } }),
    ]
    put(one, two, other)
    const { path, step } = await inside.call('getRun', { id: two.id })
    expect(path!.steps.map(({ hook }) => hook)).toEqual(['guard.sh', 'other.sh'])
    expect(step).toBe(1)
    expect(path).toMatchObject({
      verdict: 'deny',
      merged: 'Deny takes precedence over allow.',
      userMessage: 'Never on Fridays',
      skippedKnown: false,
    })
    const { text } = await inside.call('getRunText', { id: two.id, text: 'recordJson' })
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(two)))
    expect((await inside.call('getRun', { id: other.id })).path!.steps).toHaveLength(1)
  })

  it('that failed says so: open, closed, or where nothing hangs on it', async () => {
    await open()
    const failed = {
      outcome: 'failed',
      failure: 'run/exit',
      exit_code: 3,
      permission: null,
      response: null,
      stderr: 'boom',
    }
    const records = [
      record({ ...failed, failed_open: true, verdict: { permission: null, continue: null } }),
      record({ ...failed, verdict: DENY.verdict }),
      record({ ...failed, event: 'stop', verdict: { permission: null, continue: null } }),
    ]
    put(...records)
    const words = await Promise.all(
      records.map(async ({ id }) => {
        const { path } = await inside.call('getRun', { id })
        return [path!.steps[0]!.verdict, path!.verdict, path!.merged]
      }),
    )
    expect(words).toEqual([
      ['failed_open', 'none', expect.stringContaining('a failure does not decide')],
      ['failed', 'deny', 'guard.sh failed, and that counts as deny.'],
      ['failed', 'none', expect.stringContaining('This event cannot be blocked')],
    ])
  })
})

describe('a run with long texts', () => {
  it('contains their beginnings and sizes, and each of them completely on request', async () => {
    await open()
    const long = record({
      ...DENY,
      request: { command: 'c'.repeat(400_000) },
      response: { permission: 'deny', user_message: 'é'.repeat(200_000) },
      stderr: '\u{1f600}'.repeat(100_000),
    })
    put(long, record({ event_id: long.id, hook: 'other.sh', stderr: 'short' }))
    const { path } = await inside.call('getRun', { id: long.id })
    const [first, second] = path!.steps
    const all = [path!.payloadJson, path!.userMessage, first!.message, first!.answerJson, first!.stderr]
    expect(Buffer.byteLength(all.join(''))).toBeLessThanOrEqual(272 * 1024)
    expect(all.join('')).not.toContain('\ufffd')
    expect(path!.cuts.map(({ text, bytes }) => [text, bytes])).toEqual([
      ['payloadJson', Buffer.byteLength(JSON.stringify(long.request, null, 2))],
      ['userMessage', 400_000],
    ])
    expect(first!.cuts.map(({ text }) => text)).toEqual(['message', 'answerJson', 'stderr'])
    expect(second).toMatchObject({ stderr: 'short', cuts: [] })
    const whole = async (text: string, id = long.id) => (await inside.call('getRunText', { id, text })).text
    expect(JSON.parse(await whole('payloadJson'))).toEqual(long.request)
    expect(await whole('stderr')).toBe(long.stderr)
    expect(await whole('stderr', second!.runId)).toBe('short')
    expect(await whole('message')).toBe('é'.repeat(200_000))
    for (const text of ['', 'steps', '__proto__', 'cuts']) {
      await expect(whole(text)).rejects.toMatchObject({ code: 'invalid_argument' })
    }
    await expect(whole('stderr', 'nobody')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the stream', () => {
  it('says what is new at once, and goes on from a cursor', async () => {
    await open()
    put(...many(3))
    const { cursor, runs } = await inside.call('listRuns')
    const stream = openStream(inside)
    await stream.until(heard => heard.length > 0)
    put(...many(2))
    await stream.until(heard => heard.flatMap(({ runs = [] }) => runs).length === 2)
    stream.stop()
    put(...many(2))
    // A client that reconnects gets everything that it missed, once.
    const again = openStream(inside, cursor)
    await again.until(heard => heard.flatMap(({ runs = [] }) => runs).length === 4)
    const ids = again.heard.flatMap(({ runs = [] }) => runs).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort())
    expect(ids).not.toContain(runs[0]!.id)
    again.stop()
  })

  it('says that there is a gap when the cursor is unknown, or too much waits', async () => {
    await open()
    put(...many(1))
    const { cursor } = await inside.call('listRuns')
    const lost = openStream(inside, 'nobody')
    await lost.until(heard => heard.some(({ gap }) => gap))
    lost.stop()
    put(...many(1500))
    const late = openStream(inside, cursor)
    await late.until(heard => heard.some(({ gap }) => gap))
    expect(late.heard.flatMap(({ runs = [] }) => runs)).toEqual([])
    put(...many(1))
    await late.until(heard => heard.flatMap(({ runs = [] }) => runs).length === 1)
    late.stop()
  })

  itInAll('sends a heartbeat every five seconds', async () => {
    await open()
    const stream = openStream(inside)
    await stream.until(heard => heard.length >= 2, 12_000)
    expect(stream.heard.every(({ runs = [], gap = false }) => runs.length === 0 && !gap)).toBe(true)
    stream.stop()
  })
})

describe('conversations', () => {
  it('are built from their events, real runs of real hooks', async () => {
    await open({
      files: {
        '.cursor/hooks.json': JSON.stringify({
          version: 1,
          hooks: Object.fromEntries(
            [
              'sessionStart',
              'beforeSubmitPrompt',
              'beforeShellExecution',
              'afterShellExecution',
              'subagentStart',
              'stop',
            ].map(event => [event, [{ command: event === 'beforeShellExecution' ? './guard.sh' : 'true' }]]),
          ),
        }),
        'guard.sh': `#!/bin/sh\ncase $(cat) in *force*) echo '{"permission":"deny"}' ;; esac\n`,
      },
    })
    const fire = (event: string, conversation: string, fields: object) => {
      panel.write('payload.json', JSON.stringify({ conversation_id: conversation, ...fields }))
      return panel.holdfast('fire', event, '--payload', 'payload.json')
    }
    await fire('sessionStart', 'main', {})
    await fire('beforeSubmitPrompt', 'main', { prompt: 'Ship it' })
    await fire('beforeShellExecution', 'main', { command: 'git push --force' })
    await fire('subagentStart', 'main', { subagent_id: 's', subagent_type: 'explore' })
    const child = { parent_conversation_id: 'main', subagent_id: 's' }
    await fire('beforeShellExecution', 'child', { ...child, command: 'ls' })
    await fire('afterShellExecution', 'child', { ...child, command: 'ls', duration: 3 })
    expect((await inside.call('listSessions')).sessions).toMatchObject([{ id: 'main', isOpen: true }])
    await fire('stop', 'main', {})
    const { sessions } = await inside.call('listSessions')
    expect(sessions).toMatchObject([
      { id: 'main', title: 'Ship it', events: 7, runs: 7, denied: 1, asked: 0, isOpen: false },
    ])
    expect(sessions[0]!.hooksMs).toBeGreaterThan(0)
    const answer = await inside.call('getSession', { id: 'main' })
    expect(answer.cut).toBe(false)
    const spans = spansOf(answer.spans)
    const byId = new Map(spans.map(span => [span.id, span]))
    const tree = spans
      .filter(({ kind }) => kind !== 'hook')
      .map(({ kind, name, verdict, parentId }) => [kind, name, verdict, byId.get(parentId)?.kind])
    expect(tree).toEqual([
      ['session', 'Session', 'none', undefined],
      ['prompt', 'Prompt', 'none', 'session'],
      ['shell', 'Shell', 'deny', 'prompt'],
      ['subagent', 'explore', 'none', 'prompt'],
      ['shell', 'Shell', 'none', 'subagent'],
    ])
    const hook = spans.find(({ kind, verdict }) => kind === 'hook' && verdict === 'deny')!
    expect((await inside.call('getRun', { id: hook.runId })).path!.subject).toBe('git push --force')
    await expect(inside.call('getSession', { id: 'child' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('come in pages, and are found by their texts', async () => {
    await open()
    put(...many(25, at => ({ conversation_id: `c${at}`, request: { command: `number ${at}` } })))
    const first = await inside.call('listSessions', { pageSize: 20 })
    const second = await inside.call('listSessions', { pageSize: 20, pageToken: first.nextPageToken })
    expect([...first.sessions, ...second.sessions].map(({ id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, at) => `c${24 - at}`),
    )
    expect(second.nextPageToken).toBe('')
    expect((await inside.call('listSessions', { text: 'NUMBER 7' })).sessions.map(({ id }) => id)).toEqual([
      'c17',
      'c7',
    ])
    await expect(inside.call('listSessions', { pageToken: 'x' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('may name themselves as their own parents', async () => {
    await open()
    const fields = (parent: string) => ({ request: { command: 'x', parent_conversation_id: parent } })
    put(record({ conversation_id: 'a', ...fields('b') }), record({ conversation_id: 'b', ...fields('a') }))
    const { sessions } = await inside.call('listSessions')
    expect(sessions).toHaveLength(1)
    const { spans } = await inside.call('getSession', { id: sessions[0]!.id })
    expect(spansOf(spans).length).toBeGreaterThan(2)
  })
})

it('reads the log of a folder that cannot be written, and says nothing of a log that is a folder', async () => {
  await open()
  mkdirSync(panel.logFile, { recursive: true })
  expect((await inside.call('listRuns')).runs).toEqual([])
  rmSync(panel.logFile, { recursive: true })
  put(record())
  expect((await inside.call('listRuns')).runs).toHaveLength(1)
  writeFileSync(panel.logFile, '')
  expect(existsSync(panel.logFile)).toBe(true)
  expect((await inside.call('listRuns')).runs).toHaveLength(1)
  expect(readFileSync(panel.logFile, 'utf8')).toBe('')
})
