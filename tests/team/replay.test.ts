// Drafts are tried on samples and on recorded events, without side effects.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { TeamHookSchema } from '@holdfast/team'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { draftOf } from '../../packages/server/src/hooks/content.js'
import { hookOf, saveDraft } from '../../packages/server/src/hooks/drafts.js'
import { type OpenTeam, openTeam } from '../../packages/server/src/open-team.js'
import { checkDraft } from '../../packages/server/src/replay/check.js'
import { findSandbox } from '../../packages/server/src/replay/sandbox.js'
import { type Progress, whatIf } from '../../packages/server/src/replay/what-if.js'
import { openSecrets } from '../../packages/server/src/secrets.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { seat } from './server.js'

const SILENT = { info() {}, warn() {}, error() {} }
const AUTHOR: Person = {
  kind: 'person',
  userId: 'u1',
  name: 'Ada',
  role: 'author',
  via: 'session',
  address: '',
}
const NOW = Date.UTC(2026, 0, 10)
const DENY_PUSH = `#!/bin/sh
case "$(cat)" in *push*) echo '{"permission":"deny","user_message":"no pushes"}' ;; *) echo '{}' ;; esac
`
const DENIED = { permission: 'deny', continue: null }
const covered = mkdtempSync(join(tmpdir(), 'holdfast-covered-'))
const { sandbox } = await findSandbox([covered])

describe.each(ANY_DATABASE)('$kind', ({ create: createDatabase }) => {
  let database: TestDatabase
  let opened: OpenTeam
  beforeEach(async () => {
    database = await createDatabase()
    opened = await openTeam({
      database: database.url,
      secrets: openSecrets(Buffer.alloc(32, 7)),
      url: 'http://127.0.0.1',
      log: SILENT,
      now: () => NOW,
      hidden: [covered],
    })
    await seat(opened.team, AUTHOR)
  })
  afterEach(async () => {
    await opened.close()
    await database.drop()
  })

  const drafted = async (script: string, more: object = {}) => {
    const hook = create(TeamHookSchema, {
      hookStep: 'beforeShellExecution',
      scriptName: 'guard.sh',
      scriptContent: script,
      isActive: true,
      ...more,
    })
    return (await saveDraft(opened.team, AUTHOR, { id: 0, name: 'Guard', draft: draftOf(hook), base: 0 }))
      .hook
  }
  const check = (id: number, samples: { name: string; payloadJson: string }[] = []) =>
    checkDraft(opened.team, { id, samples })

  it('a draft that answers is fit, and says what it answered', async () => {
    const { id } = await drafted(DENY_PUSH)
    const checked = await check(id, [
      { name: 'push', payloadJson: '{"command":"git push"}' },
      { name: 'status', payloadJson: '{"command":"git status"}' },
    ])
    expect(checked.runs).toMatchObject([
      { sample: 'push', verdict: 'deny', exitCode: 0 },
      { sample: 'status', verdict: 'none' },
    ])
    expect(checked.fit).toBe(true)
    expect((await hookOf(opened.team.store.db, id)).fit).not.toBe(null)
  })

  it('a draft that crashes on one of its samples is not fit', async () => {
    const { id } = await drafted(`#!/bin/sh\ncase "$(cat)" in *push*) exit 3 ;; *) echo '{}' ;; esac\n`)
    const checked = await check(id, [
      { name: 'status', payloadJson: '{"command":"git status"}' },
      { name: 'push', payloadJson: '{"command":"git push"}' },
    ])
    expect(checked).toMatchObject({
      fit: false,
      runs: [
        { verdict: 'none', failure: '' },
        { verdict: 'failed', exitCode: 3 },
      ],
    })
    expect((await hookOf(opened.team.store.db, id)).fit).toBe(null)
  })

  it('a draft with an error is not run at all', async () => {
    const mark = join(covered, 'ran')
    const { id } = await drafted(`#!/bin/sh\ntouch ${mark}\n`, { matcher: '(' })
    expect(await check(id)).toMatchObject({
      fit: false,
      runs: [],
      problems: [{ code: 'config/bad-matcher' }],
    })
  })

  it.each([
    ['more than 20 samples', Array.from({ length: 21 }, () => '{}'), 'At most 20 samples'],
    ['a sample that is not JSON', ['{}', '{'], 'not a JSON object'],
    ['a sample that is a list', ['[]'], 'not a JSON object'],
    ['a sample that is null', ['null'], 'not a JSON object'],
    ['a sample that is text', ['"{}"'], 'not a JSON object'],
  ])('refuses %s, and the draft stays unchecked', async (_, payloads, words) => {
    const { id } = await drafted(DENY_PUSH)
    const samples = payloads.map((payloadJson, index) => ({ name: `${index}`, payloadJson }))
    await expect(check(id, samples)).rejects.toThrow(words)
    expect((await hookOf(opened.team.store.db, id)).fit).toBe(null)
  })

  it('a prompt is fit without a run, and cannot be replayed', async () => {
    const { id } = await drafted('', { type: 'prompt', prompt: 'ok?' })
    expect(await checkDraft(opened.team, { id, samples: [] })).toMatchObject({
      fit: true,
      runs: [],
    })
    expect((await hookOf(opened.team.store.db, id)).fit).not.toBe(null)
    const replay = whatIf(opened.team, { hookId: id, days: 7, limit: 0 }, new AbortController().signal)
    await expect(replay.next()).rejects.toThrow(/needs a model/)
  })

  it.runIf(sandbox)('sees no network, no other process, and none of the folders of the server', async () => {
    writeFileSync(join(covered, 'secret'), 'x')
    const { id } = await drafted(`#!/bin/sh
cat > /dev/null
[ -e ${covered}/secret ] && echo saw-secret >&2
touch ${covered}/written 2>/dev/null
grep -v lo: /proc/net/dev | grep -q : && echo saw-network >&2
ls /proc | grep -qx ${process.pid} && echo saw-server >&2
env | grep -v -e ^PATH= -e ^HOME= -e ^LANG= -e ^PWD= -e ^CURSOR -e ^CLAUDE -e ^PYTHONDONT -e ^_= >&2
echo '{}'
`)
    const { runs } = await check(id)
    expect(runs).toMatchObject([{ failure: '', stderr: '' }])
    expect(existsSync(join(covered, 'written'))).toBe(false)
  })

  describe('what if', () => {
    let index = 0
    const recorded = async (command: string, permission: string | null, more: object = {}) => {
      const id = `${NOW.toString(36).padStart(9, '0')}-${String(index++).padStart(4, '0')}-x`
      const body = {
        id,
        event_id: id,
        event: 'beforeShellExecution',
        request: { command },
        response: permission ? { permission } : null,
        verdict: { permission, continue: null },
        redacted: [],
        ...more,
      }
      await opened.team.store.db
        .insertInto('records')
        .values({
          day: Math.floor(NOW / 86_400_000),
          id,
          at: 'at' in more ? (more.at as number) : NOW - 1000 + index,
          received_at: NOW,
          device_id: 'd',
          event: body.event,
          hook: 'guard.sh',
          hook_id: 0,
          source: 'team',
          verdict: permission ?? 'none',
          failed_open: 0,
          observed: 0,
          duration_ms: 1,
          release: 1,
          revision: 1,
          clock_skew: 0,
          conversation_id: '',
          summary: command,
          body: JSON.stringify(body),
        })
        .execute()
    }
    beforeAll(() => {
      index = 0
    })
    /** PostgreSQL needs a partition for the day. */
    const openPartition = async () => {
      if (opened.team.store.kind === 'postgres') {
        const day = Math.floor(NOW / 86_400_000)
        const { sql } = await import('kysely')
        await sql
          .raw(`create table records_test partition of records for values from (${day}) to (${day + 1})`)
          .execute(opened.team.store.db)
      }
    }
    const played = async (id: number): Promise<Progress> => {
      const all: Progress[] = []
      const wish = { hookId: id, days: 7, limit: 0 }
      for await (const one of whatIf(opened.team, wish, new AbortController().signal)) all.push(one)
      return { ...all.at(-1)!, examples: all.flatMap(({ examples }) => examples) }
    }

    it.each([
      [{ days: -1 }, 'days is -1'],
      [{ days: 91 }, 'days is 91'],
      [{ limit: -1 }, 'limit is -1'],
      [{ limit: 50_001 }, 'limit is 50001'],
    ])('refuses %o', async (changes, words) => {
      const { id } = await drafted(DENY_PUSH)
      const wish = { hookId: id, days: 90, limit: 50_000, ...changes }
      const replay = whatIf(opened.team, wish, new AbortController().signal)
      await expect(replay.next()).rejects.toThrow(words)
    })

    it('lists what would newly be denied and allowed, and what is unknown', async () => {
      await openPartition()
      const { id } = await drafted(DENY_PUSH)
      await recorded('git push', 'allow')
      await recorded('git status', null)
      await recorded('git status', 'deny', { hook_id: id })
      await recorded('git status', 'deny', { hook_id: 99 })
      await recorded('git push --secret', null, { redacted: ['request.command: a secret'] })
      // Only enforcing hooks count; what a user may not see concerns only the payload.
      const redacted = ['response.user_message: a secret']
      await recorded('observed', 'allow', { hook_id: 99, mode: 'observe', response: DENIED, redacted })
      // Two runs of one event: this hook denied, another one asked.
      const event = { event_id: 'shared', verdict: DENIED }
      await recorded('both', 'ask', { ...event, hook_id: 99 })
      await recorded('both', 'deny', { ...event, hook_id: id })
      await recorded('git push asked', 'ask', { hook_id: 99 })
      const stopped = { permission: null, continue: false }
      await recorded('stopped', null, { hook_id: id, response: stopped, verdict: stopped })
      await recorded('long ago', 'deny', { hook_id: id, at: NOW - 7 * 86_400_000 - 1 })
      await recorded('elsewhere', 'deny', { hook_id: id, event: 'stop' })
      const result = await played(id)
      expect(result).toMatchObject({
        total: 9,
        newlyDenied: 2,
        newlyAllowed: 2,
        newlyAsked: 1,
        unchanged: 3,
        undecided: 1,
        failed: 0,
        skipped: 0,
        done: true,
      })
      expect(result.examples).toMatchObject([
        { summary: 'stopped', before: 'deny', after: 'none', kind: 'newly_allowed' },
        { summary: 'git push asked', before: 'ask', after: 'deny', kind: 'newly_denied' },
        { summary: 'both', before: 'deny', after: 'ask', kind: 'newly_asked' },
        { summary: 'observed', before: 'allow', after: 'none', kind: 'unchanged' },
        { summary: 'git push --secret', kind: 'undecided' },
        { summary: 'git status', before: 'deny', after: 'deny', kind: 'unchanged' },
        { summary: 'git status', before: 'deny', after: 'none', kind: 'newly_allowed' },
        { summary: 'git status', before: 'none', after: 'none', kind: 'unchanged' },
        { summary: 'git push', before: 'allow', after: 'deny', kind: 'newly_denied' },
      ])
    })

    it('counts an event that the matcher skips as skipped, unless its verdict changes', async () => {
      await openPartition()
      const { id } = await drafted(DENY_PUSH, { matcher: 'push' })
      await recorded('git push', null, { at: NOW - 1 })
      await recorded('git status', null, { at: NOW - 2 })
      await recorded('git status', 'deny', { at: NOW - 3, hook_id: id })
      const result = await played(id)
      expect(result).toMatchObject({ replayed: 3, newlyDenied: 1, newlyAllowed: 1, unchanged: 0, skipped: 1 })
      expect(result.examples.map(({ kind }) => kind)).toEqual(['newly_denied', 'skipped', 'newly_allowed'])
    })
  })
})

afterAll(() => rmSync(covered, { recursive: true, force: true }))
