import fs, { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { definition, eventOf, exitOf } from '../../../../tests/fixtures/definition.js'
import { decide } from '../decide/decide.js'
import { SOURCES, type SourceKind } from '../protocol/config.js'
import type { Run } from '../protocol/run.js'
import type { RunRecord } from './record.js'
import { openTeams } from './teams.js'

const { fdatasyncSync } = fs
let base = ''
let syncs = 0
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-teams-'))
  syncs = 0
  fs.fdatasyncSync = fd => {
    syncs++
    fdatasyncSync(fd)
  }
  syncBuiltinESMExports()
})
afterEach(() => {
  fs.fdatasyncSync = fdatasyncSync
  syncBuiltinESMExports()
  rmSync(base, { recursive: true, force: true })
})

const own = '/managed/team_1/hooks/manifest.json'
const foreign = '/managed/team_2/hooks/manifest.json'
const event = eventOf('beforeShellExecution')
const runOf = (source: SourceKind, file: string | null, permission?: 'deny'): Run => ({
  hook: definition({ source, rank: SOURCES[source].rank, file }),
  exit: exitOf(),
  outcome: { kind: 'answered', answer: permission ? { permission } : {} },
  notes: [],
})
const RUNS = [
  runOf('enterprise', '/etc/cursor/hooks.json'),
  runOf('team', own),
  runOf('team', foreign),
  runOf('project', '/project/.cursor/hooks.json'),
]
const recordOf = (run: Run, index: number, failed_open = false) =>
  ({
    id: `r${index}`,
    time: '2024-01-01T00:00:00.000Z',
    source: run.hook.source,
    failed_open,
    ...(run.hook.source === 'team' ? { hook_id: 7, revision: 2, release: 41 } : {}),
  }) as unknown as RunRecord

function append(records: 'all' | 'managed', runs: readonly Run[], failedOpen: readonly number[] = []) {
  const folder = join(base, `queue-${records}`)
  const teams = openTeams(() => [{ folder, records, file: own }])
  const verdict = decide({ event, runs, skipped: [], durationMs: 1, denials: [] })
  teams.append(
    verdict,
    runs.map((run, index) => recordOf(run, index, failedOpen.includes(index))),
  )
  expect(teams.problem()).toBeNull()
  const file = join(folder, 'active.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  return lines.map(line => JSON.parse(line) as Record<string, unknown>)
}

describe('the queue of a team', () => {
  it('receives runs of its own and of enterprise hooks only, unless it wants all', () => {
    expect(append('managed', RUNS).map(({ id }) => id)).toEqual(['r0', 'r1'])
    expect(append('all', RUNS).map(({ id }) => id)).toEqual(['r0', 'r1', 'r2', 'r3'])
  })

  it('receives the numbers of its own hooks only', () => {
    const [, ours, theirs] = append('all', RUNS)
    expect(ours).toMatchObject({ hook_id: 7, revision: 2, release: 41 })
    expect(Object.keys(theirs!)).toEqual(['id', 'time', 'source', 'failed_open'])
  })

  it.each([
    ['nothing was blocked or failed', 0, RUNS, []],
    ['a run failed open', 1, RUNS, [1]],
    ['a run that the team does not receive failed open', 0, RUNS, [3]],
    ['the action was denied', 1, [...RUNS, runOf('user', null, 'deny')], []],
  ] as const)('is synced to disk %#: %s', (_, count, runs, failedOpen) => {
    expect(append('managed', runs, failedOpen)).toHaveLength(2)
    expect(syncs).toBe(count)
  })

  it('is not made when it receives nothing', () => {
    expect(append('managed', [RUNS[3]!])).toEqual([])
    expect(existsSync(join(base, 'queue-managed'))).toBe(false)
  })

  it('reports the problems of every team', () => {
    const folders = ['a', 'b'].map(name => join(base, 'absent', name))
    const teams = openTeams(() => folders.map(folder => ({ folder, records: 'all', file: own })))
    const verdict = decide({ event, runs: RUNS, skipped: [], durationMs: 1, denials: [] })
    teams.append(
      verdict,
      RUNS.map((run, index) => recordOf(run, index)),
    )
    for (const folder of folders) expect(teams.problem()).toContain(`4 runs not written to ${folder}`)
  })
})
