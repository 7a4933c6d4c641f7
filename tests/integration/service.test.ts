// Other duties of the engine: trust, changes of files, states, the log.

import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryTrustStore } from '@holdfast/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { script, trustShown, until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const fields = { command: 'ls' }
const denying = `{"version":1,"hooks":{"beforeShellExecution":[{"command":"exit 2"}]}}`

describe('trust', () => {
  const open = () => space.open({ trustAll: false })

  it('is needed by project hooks, by content, and survives a restart', async () => {
    space.use('deny.sh')
    space.project({ beforeShellExecution: [{ command: script('deny.sh') }] })
    space.user({ beforeShellExecution: [{ command: 'echo {}' }] })
    const hooks = await open()
    const before = await hooks.fire('beforeShellExecution', fields)
    expect(before.permission).toBeNull()
    expect(before.runs.map(run => run.hook.source)).toEqual(['user'])
    expect(before.skipped).toMatchObject([{ reason: 'untrusted' }])
    expect(hooks.list().map(({ state }) => state)).toEqual(['untrusted', 'ready'])
    expect(await trustShown(hooks)).toHaveLength(1)
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe('deny')
    expect((await (await open()).fire('beforeShellExecution', fields)).permission).toBe('deny')
  })

  it('ends when a byte of the script changes, at the very next event', async () => {
    space.use('deny.sh')
    space.project({ beforeShellExecution: [{ command: script('deny.sh') }] })
    const hooks = await open()
    await trustShown(hooks)
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe('deny')
    appendFileSync(join(space.root, script('deny.sh')), '# more\n')
    const after = await hooks.fire('beforeShellExecution', fields)
    expect(after.runs).toHaveLength(0)
    expect(after.skipped).toMatchObject([{ reason: 'untrusted' }])
  })

  it('can be kept by the host', async () => {
    space.use('deny.sh')
    space.project({ beforeShellExecution: [{ command: script('deny.sh') }] })
    const trust = memoryTrustStore()
    const hooks = await space.open({ trustAll: false, trust })
    await trustShown(hooks)
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe('deny')
    expect(existsSync(join(space.home, '.holdfast'))).toBe(false)
  })
})

describe('a required source', () => {
  it('that is missing denies permission events and says why, and only those', async () => {
    const hooks = await space.open({ required: ['enterprise'] })
    const verdict = await hooks.fire('beforeShellExecution', fields)
    expect(verdict.permission).toBe('deny')
    expect(verdict.userMessage).toContain(space.enterprise)
    expect((await hooks.fire('stop', {})).permission).toBeNull()
    space.enterpriseHooks({})
    await hooks.reload()
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBeNull()
  })
})

describe('changes of files are seen within a second', () => {
  const file = () => join(space.root, '.cursor/hooks.json')
  const sees = async (permission: 'deny' | null, hooks: Awaited<ReturnType<Workspace['open']>>) => {
    await until(() => hooks.has('beforeShellExecution') === (permission === 'deny'))
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe(permission)
  }

  it('late creation with a missing folder, write, atomic replace, deletion, and the folder coming back', async () => {
    const hooks = await space.open({ watch: true })
    await sees(null, hooks)
    space.write(file(), denying)
    await sees('deny', hooks)
    writeFileSync(file(), '{"hooks":{}}')
    await sees(null, hooks)
    writeFileSync(`${file()}.new`, denying)
    renameSync(`${file()}.new`, file())
    await sees('deny', hooks)
    rmSync(file())
    await sees(null, hooks)
    rmSync(join(space.root, '.cursor'), { recursive: true })
    mkdirSync(join(space.root, '.cursor'))
    writeFileSync(file(), denying)
    await sees('deny', hooks)
  })

  it('a broken file keeps its last good hooks and says so', async () => {
    space.write(file(), denying)
    const hooks = await space.open({ watch: true })
    const changes: number[] = []
    hooks.onChange(catalog => changes.push(catalog.issues.length))
    writeFileSync(file(), '{ broken')
    await until(() => hooks.issues().some(({ code }) => code === 'config/kept-last-good'))
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe('deny')
    expect(changes.length).toBeGreaterThan(0)
  })
})

describe('states', () => {
  it('tell what was never matched, what ran last, and what is invalid', async () => {
    space.project({
      beforeShellExecution: [
        { command: 'echo {}' },
        { command: 'echo {}', matcher: 'never this' },
        { command: 'echo {}', matcher: '(' },
      ],
    })
    const hooks = await space.open()
    expect(hooks.list().map(({ state }) => state)).toEqual(['ready', 'ready', 'invalid'])
    await hooks.fire('beforeShellExecution', fields)
    const [first, second] = hooks.list()
    expect(first).toMatchObject({ state: 'ready', runs: 1, lastRun: { outcome: 'answered' } })
    expect(second).toMatchObject({ state: 'never-matched', runs: 0, lastRun: null })
  })

  it('explain runs nothing', async () => {
    space.project({ beforeShellExecution: [{ command: `touch ${join(space.base, 'ran')}` }] })
    const hooks = await space.open()
    const plan = await hooks.explain('beforeShellExecution', fields)
    expect(plan).toMatchObject({ subject: 'ls', hooks: [{ why: 'all' }] })
    expect(existsSync(join(space.base, 'ran'))).toBe(false)
  })
})

describe('the log', () => {
  it('keeps the last hundred runs, without secrets, in memory and in a file', async () => {
    const file = join(space.base, 'log/runs.jsonl')
    const hooks = await space.open({ log: { file } })
    hooks.register({ event: 'beforeShellExecution', run: () => ({ permission: 'allow' }) })
    const heard: string[] = []
    hooks.onRun(record => heard.push(record.id))
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_')
    for (let i = 0; i < 120; i++) await hooks.fire('beforeShellExecution', { command: `push ${secret} ${i}` })
    const log = hooks.log()
    expect(log).toHaveLength(100)
    expect(log.at(-1)!.request.command).toBe('push [secret: github token] 119')
    expect(heard).toHaveLength(120)
    expect(space.read(file).trimEnd().split('\n')).toHaveLength(120)
    expect(space.read(file)).not.toContain(secret)
  })

  it('counts what failed open', async () => {
    space.project({ beforeShellExecution: [{ command: 'exit 1' }] })
    const hooks = await space.open()
    await hooks.fire('beforeShellExecution', fields)
    expect(hooks.log()[0]).toMatchObject({ failed_open: true, failure: 'run/exit', exit_code: 1 })
  })

  it('never disturbs the verdict', async () => {
    space.write(join(space.base, 'not-a-folder'), '')
    const hooks = await space.open({ log: { file: join(space.base, 'not-a-folder/runs.jsonl') } })
    hooks.register({ event: 'stop', run: () => ({}) })
    hooks.onRun(() => {
      throw new Error('listener')
    })
    await hooks.fire('stop', {})
    expect(hooks.log()).toHaveLength(1)
    expect(hooks.logProblem()).not.toBeNull()
  })
})

describe('several roots', () => {
  it('bring their own hooks, each in its own folder', async () => {
    const second = space.folder('second')
    const where = `printf '{"permission":"allow","user_message":"%s %s"}' "$PWD" "$CURSOR_PROJECT_DIR"`
    space.project({ beforeShellExecution: [{ command: where }] })
    space.project({ beforeShellExecution: [{ command: where }] }, second)
    const hooks = await space.open({ workspaceRoots: [space.root, second, space.root] })
    const verdict = await hooks.fire('beforeShellExecution', fields)
    expect(verdict.userMessage).toBe(`${space.root} ${space.root}\n\n${second} ${second}`)
  })
})

describe('Claude settings', () => {
  const settings = {
    permissions: { allow: [] },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            {
              type: 'command',
              command: `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not this"}}'`,
            },
          ],
        },
      ],
      Stop: [
        { hooks: [{ type: 'command', command: `echo '{"decision":"block","reason":"run the tests"}'` }] },
      ],
    },
  }

  it('are further sources when the host turns them on', async () => {
    space.write('.claude/settings.json', JSON.stringify(settings))
    expect((await space.open()).has('preToolUse')).toBe(false)
    const hooks = await space.open({ claude: true })
    const verdict = await hooks.fire('preToolUse', { tool_name: 'Shell' })
    expect(verdict).toMatchObject({ permission: 'deny', userMessage: 'not this' })
    expect((await hooks.fire('preToolUse', { tool_name: 'Read' })).permission).toBeNull()
    expect((await hooks.fire('stop', { loop_count: 1000 })).followupMessage).toBe('run the tests')
  })
})
