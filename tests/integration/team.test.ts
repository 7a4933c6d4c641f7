// Hooks of a team on a device: releases behind a link, audit mode, records that wait to be sent.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Hooks, HostOptions, RunRecord } from '@holdfast/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const fields = { command: 'ls' }
const guard = (change: object = {}) => ({
  id: 1,
  revision: 1,
  hook_step: 'beforeShellExecution',
  script_name: 'guard.sh',
  ...change,
})

class Team {
  private links = 0
  constructor(readonly id = '7') {}

  at(...parts: string[]): string {
    return join(space.home, '.cursor/managed', `team_${this.id}`, ...parts)
  }

  /** Writes a release beside the others and switches the link to it. */
  release(number: number, scripts: Record<string, string>, head: object = {}, hooks: object[] = [guard()]) {
    for (const [name, body] of Object.entries(scripts))
      space.write(this.at('store', `${number}`, name), `#!/bin/sh\n${body}\n`)
    const manifest = { team: this.id, release: number, queue: '../../queue', ...head, hooks }
    space.write(this.at('store', `${number}`, 'manifest.json'), JSON.stringify(manifest))
    this.point(number)
  }

  point(number: number) {
    const link = this.at(`link-${this.links++}`)
    symlinkSync(`store/${number}`, link)
    renameSync(link, this.at('hooks'))
  }

  queued(): RunRecord[] {
    const file = this.at('queue/active.jsonl')
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as RunRecord)
  }
}

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`
const deny = says({ permission: 'deny', user_message: 'no' })

/** Without a log; reading it creates the records. */
async function open(options: Partial<HostOptions> = {}): Promise<Hooks> {
  return space.open({ log: { file: null }, trustUnsignedTeams: true, ...options })
}
async function fire(hooks: Hooks) {
  const verdict = await hooks.fire('beforeShellExecution', fields)
  hooks.log()
  return verdict
}

describe('a release behind a link', () => {
  it('is loaded when the link is replaced', async () => {
    const team = new Team()
    team.release(1, { 'guard.sh': deny })
    const hooks = await open({ watch: true })
    expect((await fire(hooks)).permission).toBe('deny')
    team.release(2, { 'guard.sh': says({ permission: 'allow' }) })
    const release = () => hooks.list()[0]?.hook.managed?.release
    await until(() => release() === 2)
    expect((await fire(hooks)).permission).toBe('allow')
    // Back again: the same files under the same name.
    team.point(1)
    await until(() => release() === 1)
    expect((await fire(hooks)).permission).toBe('deny')
    expect(hooks.list()[0]?.hook.file).toBe(team.at('hooks/manifest.json'))
  })

  it('never runs a script of another release, however fast the link is replaced', async () => {
    const team = new Team()
    for (let number = 1; number <= 4; number++) {
      // Its own text and the files beside it identify its release.
      const body = `printf '{"user_message":"%s %s","permission":"ask"}' ${number} "$(cat name.txt)"`
      space.write(team.at('store', `${number}`, 'name.txt'), `${number}`)
      team.release(number, { 'guard.sh': body })
    }
    const hooks = await open({ watch: true })
    let isOver = false
    const switching = (async () => {
      for (let i = 0; !isOver; i++) {
        team.point((i % 4) + 1)
        await new Promise(resolve => setTimeout(resolve, Math.random() * 4))
      }
    })()
    const seen = new Set<number>()
    try {
      for (let i = 0; i < 60; i++) {
        if (i % 3 === 0) await hooks.reload()
        const { runs } = await hooks.fire('beforeShellExecution', fields)
        expect(runs).toHaveLength(1)
        const { hook, outcome } = runs[0]!
        const release = hook.managed!.release!
        seen.add(release)
        expect(outcome).toMatchObject({ kind: 'answered', answer: { user_message: `${release} ${release}` } })
      }
    } finally {
      isOver = true
      await switching
    }
    expect(seen.size).toBeGreaterThan(1)
  })
})

describe('a hook that only observes', () => {
  it('runs and is recorded, without effect', async () => {
    const team = new Team()
    team.release(3, { 'guard.sh': deny, 'broken.sh': 'exit 1' }, {}, [
      guard({ id: 4, revision: 9, mode: 'observe' }),
      guard({ id: 5, revision: 1, mode: 'observe', script_name: 'broken.sh', fail_closed: true }),
    ])
    const hooks = await open()
    const guarded = await hooks.guard('beforeShellExecution', fields)
    expect(guarded).toMatchObject({ granted: false, verdict: { permission: null, deciders: [] } })
    expect(hooks.log()).toMatchObject([
      {
        mode: 'observe',
        would: 'deny',
        permission: 'deny',
        hook_id: 4,
        revision: 9,
        release: 3,
        failed_open: false,
        verdict: { permission: null },
      },
      { mode: 'observe', would: 'deny', outcome: 'failed', failed_open: false, hook_id: 5 },
    ])
    expect(team.queued()).toEqual(hooks.log())
  })

  it('does not count a follow-up, and sets no variables', async () => {
    const team = new Team()
    const observe = (change: object) => guard({ mode: 'observe', loop_limit: null, ...change })
    team.release(
      1,
      { 'again.sh': says({ followup_message: 'again' }), 'env.sh': says({ env: { SEEN: '1' } }) },
      {},
      [
        observe({ hook_step: 'stop', script_name: 'again.sh' }),
        observe({ hook_step: 'sessionStart', script_name: 'env.sh' }),
      ],
    )
    const session = await (await open()).startSession()
    expect((await session.fire('stop', { status: 'completed' })).followupMessage).toBeNull()
    expect(session.loopCount).toBe(0)
    expect(session.memory().variables).toEqual([])
  })
})

describe('records that wait', () => {
  it('are those of the administrators and of the team, or all if it wants all; with or without a log', async () => {
    const [seven, eight] = [new Team('7'), new Team('8')]
    seven.release(1, { 'guard.sh': says({}) })
    eight.release(2, { 'guard.sh': says({}) }, { records: 'all' }, [guard({ id: 5 })])
    space.enterpriseHooks({ beforeShellExecution: [{ command: says({}) }] })
    space.project({ beforeShellExecution: [{ command: says({}) }] })
    const hooks = await open()
    await fire(hooks)
    const told = (team: Team) =>
      team.queued().map(({ source, hook_id, release }) => [source, hook_id, release])
    expect(told(seven)).toEqual([
      ['enterprise', undefined, undefined],
      ['team', 1, 1],
    ])
    // Names of another team's hooks would mean other hooks here.
    expect(told(eight)).toEqual([
      ['enterprise', undefined, undefined],
      ['team', undefined, undefined],
      ['team', 5, 2],
      ['project', undefined, undefined],
    ])
    await fire(await open({ log: { file: join(space.home, 'runs.jsonl') } }))
    expect(told(seven)).toHaveLength(4)
    expect(hooks.logProblem()).toBeNull()
  })

  it('hold no secrets and no contents', async () => {
    const team = new Team()
    team.release(1, { 'guard.sh': says({}) }, {}, [guard(), guard({ hook_step: 'beforeReadFile' })])
    const hooks = await open()
    const token = ['ghp', 'a1B2'.repeat(9)].join('_')
    await hooks.fire('beforeShellExecution', { command: `curl -H "authorization: token ${token}"` })
    await hooks.fire('beforeReadFile', { file_path: '/a', content: 'between us' })
    hooks.log()
    expect(team.queued()).toHaveLength(2)
    expect(readFileSync(team.at('queue/active.jsonl'), 'utf8')).not.toMatch(/a1B2|between us/)
  })

  it('are none for a team that wants none, nor in a rehearsal', async () => {
    const team = new Team()
    team.release(1, { 'guard.sh': deny })
    const rehearsal = await open({ rehearsal: true })
    expect((await fire(rehearsal)).permission).toBe('deny')
    team.release(2, { 'guard.sh': deny }, { queue: undefined })
    await fire(await open())
    expect(existsSync(team.at('queue'))).toBe(false)
  })

  it('that cannot be written change no verdict, and are reported', async () => {
    const team = new Team()
    team.release(1, { 'guard.sh': deny })
    mkdirSync(team.at('queue'))
    writeFileSync(team.at('queue/active.jsonl'), '')
    renameSync(team.at('queue/active.jsonl'), team.at('queue/elsewhere'))
    mkdirSync(team.at('queue/active.jsonl'))
    const hooks = await open()
    expect((await fire(hooks)).permission).toBe('deny')
    expect(hooks.logProblem()).toMatch(/^1 run not written to .*active\.jsonl/)
    expect(hooks.log()).toHaveLength(1)
  })

  it('begin when the team does, and end when it was left', async () => {
    const team = new Team()
    space.enterpriseHooks({ beforeShellExecution: [{ command: says({}) }] })
    const hooks = await open()
    await fire(hooks)
    team.release(1, { 'guard.sh': says({}) })
    await hooks.reload()
    await fire(hooks)
    expect(team.queued()).toHaveLength(2)
    chmodSync(team.at('store/1/guard.sh'), 0o755)
    renameSync(team.at(), team.at('../left'))
    await hooks.reload()
    await fire(hooks)
    expect(existsSync(team.at())).toBe(false)
    expect(hooks.logProblem()).toBeNull()
  })
})
