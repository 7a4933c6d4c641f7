// Hooks with `async: true`: the event does not wait for them.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

/** Runs until the file `go` is there. */
const waits = (then = '') => `while [ ! -e go ]; do sleep 0.01; done; ${then}`
const go = () => writeFileSync(join(space.home, '.cursor/go'), '')
const shell = { command: 'ls' }

describe('an asynchronous hook', () => {
  it('delays nothing, and is recorded when it ends', async () => {
    space.user({ afterShellExecution: [{ command: waits('cat > seen'), async: true }, { command: 'true' }] })
    const hooks = await space.open()
    const verdict = await hooks.fire('afterShellExecution', shell)
    expect(verdict.runs).toHaveLength(1)
    expect(verdict.skipped).toMatchObject([{ reason: 'background' }])
    expect(hooks.log()).toHaveLength(1)
    go()
    await hooks.idle()
    expect(JSON.parse(space.read(join(space.home, '.cursor/seen')))).toMatchObject(shell)
    expect(hooks.log()).toMatchObject([{ hook: 'true' }, { outcome: 'silent', event: 'afterShellExecution' }])
    expect(hooks.list()[0]!.runs).toBe(1)
  })

  it('is recorded when it fails, and its response has no effect', async () => {
    const answer = `echo '{"followup_message":"go on"}'; exit 3`
    space.user({ stop: [{ command: answer, async: true }] })
    const hooks = await space.open()
    expect((await hooks.fire('stop', {})).followupMessage).toBeNull()
    await hooks.idle()
    expect(hooks.log()).toMatchObject([{ failure: 'run/exit', exit_code: 3 }])
  })

  it('has no effect on events that hooks can stop: they wait, and its deny holds', async () => {
    space.user({ beforeShellExecution: [{ command: 'exit 2', async: true }] })
    const hooks = await space.open()
    expect(hooks.issues()).toMatchObject([
      { code: 'config/no-effect', path: 'hooks.beforeShellExecution[0].async' },
    ])
    expect((await hooks.fire('beforeShellExecution', shell)).permission).toBe('deny')
  })

  it('ends with the engine', async () => {
    space.user({ afterShellExecution: [{ command: `echo $$ > pid; ${waits()}`, async: true }] })
    const hooks = await space.open()
    await hooks.fire('afterShellExecution', shell)
    const file = join(space.home, '.cursor/pid')
    await until(() => existsSync(file) && space.read(file).endsWith('\n'))
    await hooks.close()
    expect(isAlive(Number(space.read(file)))).toBe(false)
    expect(hooks.log()).toMatchObject([{ failure: 'run/signal' }])
    await hooks.idle()
  })

  it('ends at its time limit', async () => {
    space.user({ afterShellExecution: [{ command: waits(), async: true, timeout: 0.1 }] })
    const hooks = await space.open()
    await hooks.fire('afterShellExecution', shell)
    await hooks.idle()
    expect(hooks.log()).toMatchObject([{ failure: 'run/timeout' }])
  })

  it('is not started while sixteen of them run, and the record says so', async () => {
    space.user({ afterShellExecution: [{ command: waits(), async: true }] })
    const hooks = await space.open()
    for (let i = 0; i < 18; i++) await hooks.fire('afterShellExecution', shell)
    go()
    await hooks.idle()
    const failures = hooks.log().map(({ failure }) => failure)
    expect(failures.filter(failure => failure === 'run/spawn')).toHaveLength(2)
    expect(failures).toHaveLength(18)
    await hooks.fire('afterShellExecution', shell)
    await hooks.idle()
    expect(hooks.log().at(-1)!.failure).toBeNull()
  })

  it('of an enterprise is started although a project runs sixteen', async () => {
    space.project({ afterShellExecution: [{ command: `cd ${space.home}/.cursor; ${waits()}`, async: true }] })
    space.user({})
    space.enterpriseHooks({ afterShellExecution: [{ command: 'true', async: true, matcher: 'audited' }] })
    const hooks = await space.open()
    for (let i = 0; i < 16; i++) await hooks.fire('afterShellExecution', shell)
    await hooks.fire('afterShellExecution', { command: 'audited' })
    go()
    await hooks.idle()
    expect(hooks.log().filter(({ source }) => source === 'enterprise')).toMatchObject([{ failure: null }])
  })

  it('is explained apart from the hooks that the event waits for', async () => {
    space.user({ afterShellExecution: [{ command: 'touch started', async: true }, { command: 'true' }] })
    const hooks = await space.open()
    const plan = await hooks.explain('afterShellExecution', shell)
    expect(plan.hooks.map(({ hook }) => hook.name)).toEqual(['true'])
    expect(plan.background.map(({ hook }) => hook.name)).toEqual(['touch started'])
    await hooks.idle()
    expect(existsSync(join(space.home, '.cursor/started'))).toBe(false)
  })

  it('runs before the process ends where nothing can wait', async () => {
    space.user({ sessionEnd: [{ command: 'touch ended', async: true }] })
    const session = await (await space.open()).startSession()
    session.endSync()
    expect(existsSync(join(space.home, '.cursor/ended'))).toBe(true)
  })
})
