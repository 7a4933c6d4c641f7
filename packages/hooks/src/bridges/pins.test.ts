// The gates of a session are pinned. Each case changes the hooks of a running session as an agent or a user might, and
// sends the next event.

import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BLOCKS, SHAPES } from '../../../../tests/fixtures/agents.js'
import { type Config, trustShown, Workspace } from '../../../../tests/fixtures/workspace.js'
import { findChangedGuards } from './accept-pins.js'
import { runBridge } from './bridge.js'
import { type BridgeSettings, findBridge } from './index.js'
import type { Json } from './types.js'

let place: Workspace
beforeEach(() => {
  place = new Workspace()
  roots = undefined
  isInstalled = false
  settings = { entries: 'ours', turnedOffBy: [] }
})
afterEach(() => place.close())

const folder = () => join(place.home, '.holdfast/bridge/claude-code')
let roots: string[] | undefined
let isInstalled: boolean
let settings: BridgeSettings

const call = (event: string, payload: Json, agent = 'claude-code') =>
  runBridge({
    bridge: findBridge(agent)!,
    text: JSON.stringify({ cwd: place.root, session_id: 's', ...payload }),
    event,
    host: () => ({
      workspaceRoots: roots ?? [place.root],
      home: place.home,
      enterpriseDir: place.enterprise,
      watch: false,
      log: { file: join(place.base, 'runs.jsonl') },
    }),
    folder: folder(),
    signal: new AbortController().signal,
    isInstalled,
    settings: async () => settings,
  })

const start = (more: Json = {}) => call('SessionStart', { source: 'startup', ...more })
const shell = (command: string, more: Json = {}) =>
  call('PreToolUse', { tool_name: 'Bash', tool_input: { command }, ...more })
const reads = (file: string) => call('PreToolUse', { tool_name: 'Read', tool_input: { file_path: file } })
const asks = (prompt: string) => call('UserPromptSubmit', { prompt })
const isDenied = async (answered: ReturnType<typeof call>, event = 'PreToolUse') =>
  BLOCKS['claude-code'](event, await answered)

const ALLOW = '#!/bin/sh\ncat > /dev/null; echo {}\n'
const userScript = () => join(place.home, '.cursor/hooks/guard.sh')
const userGuard = (more: object = {}): Config => ({
  beforeShellExecution: [{ command: './hooks/guard.sh', matcher: 'rm', failClosed: true, ...more }],
})
/** A guard of the user for commands with rm. It allows, so that a deny comes from its pin. */
const guardOfUser = () => {
  place.write(userScript(), ALLOW)
  place.user(userGuard())
}
const guardOfProject = async (root = place.root) => {
  place.write(join(root, '.cursor/hooks/guard.sh'), ALLOW)
  place.project({ beforeShellExecution: [{ command: '.cursor/hooks/guard.sh', matcher: 'rm' }] }, root)
  await trustShown(await place.open({ trustAll: false, workspaceRoots: [root] }))
}
const userFile = () => join(place.home, '.cursor/hooks.json')
const projectFile = (name = 'hooks.json') => join(place.root, '.cursor', name)

/** Denies what the guard would have judged, and nothing else. */
async function expectLost(reason: string | RegExp) {
  const answered = await shell('rm -r build')
  expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
  expect(answered.stdout).toMatch(reason)
  expect(answered.stdout).toContain('holdfast trust')
  expect((await shell('ls')).stdout).toBe('')
}

describe('a gate of the user', () => {
  beforeEach(async () => {
    guardOfUser()
    await start()
    expect((await shell('rm -r build')).stdout).toBe('')
  })

  it.each<[string, () => void, string | RegExp]>([
    ['is removed', () => place.user({}), 'was removed or changed'],
    ['is removed with its file', () => rmSync(userFile()), 'hooks.json was removed'],
    ['has a script that changed', () => appendFileSync(userScript(), '# x\n'), 'guard.sh was changed'],
    ['has a script that was removed', () => rmSync(userScript()), 'guard.sh was removed'],
    ['judges fewer commands', () => place.user(userGuard({ matcher: 'rm -rf /' })), 'its entry'],
    ['fails open', () => place.user(userGuard({ failClosed: undefined })), 'its entry'],
    ['has less time', () => place.user(userGuard({ timeout: 1 })), 'its entry'],
    ['runs another command', () => place.user(userGuard({ command: 'true' })), 'its entry'],
    ['moved to another event', () => place.user({ stop: userGuard().beforeShellExecution! }), 'its entry'],
  ])('that %s still denies', async (_, change, reason) => {
    change()
    await expectLost(reason)
  })

  it.each<[string, () => void]>([
    ['judges more commands', () => place.user(userGuard({ matcher: undefined }))],
    ['has more time', () => place.user(userGuard({ timeout: 300 }))],
    ['is in another place of the file', () => place.user({ stop: [{ command: 'true' }], ...userGuard() })],
    ['has an equal script with another time', () => utimesSync(userScript(), 1, 1)],
    ['has an equal script that was written again', () => writeFileSync(userScript(), ALLOW)],
    ['has another mode', () => chmodSync(userScript(), 0o700)],
  ])('that %s does not deny', async (_, change) => {
    change()
    expect((await shell('rm -r build')).stdout).toBe('')
    expect((await shell('rm -r build')).stdout).toBe('')
  })

  it('is in the log of runs with each denial, and once in the notes', async () => {
    place.user({})
    const [first, second] = [await shell('rm a'), await shell('rm b')]
    expect(first.stderr).toContain('was changed or removed')
    expect(second.stderr).toBe('')
    expect(place.read(join(place.base, 'runs.jsonl')).match(/built in: session guards/g)).toHaveLength(2)
  })

  it('is back when the change is undone', async () => {
    place.user({})
    await expectLost('its entry')
    place.user(userGuard())
    expect((await shell('rm -r build')).stdout).toBe('')
  })

  it('is not pinned for another session', async () => {
    place.user({})
    expect((await shell('rm x', { session_id: 'other' })).stdout).toBe('')
    await start({ session_id: 'new' })
    expect((await shell('rm x', { session_id: 'new' })).stdout).toBe('')
  })

  it('stays pinned when the session is compacted or resumed, and the user is informed', async () => {
    place.user({})
    for (const source of ['compact', 'resume']) {
      expect((await start({ source })).stdout).toContain('holdfast trust')
      await expectLost('its entry')
    }
  })

  it('stays pinned in subagents', async () => {
    place.user({})
    expect(await isDenied(shell('rm x', { agent_id: 'a1', agent_type: 'x' }))).toBe(true)
    expect(await isDenied(shell('ls', { agent_id: 'a1', agent_type: 'x' }))).toBe(false)
  })

  it('denies calls that cannot be read', async () => {
    place.user({})
    expect(await isDenied(call('PreToolUse', { tool_name: 7 }))).toBe(true)
  })
})

describe('a gate of a project', () => {
  beforeEach(async () => {
    await guardOfProject()
    await start()
    expect((await shell('rm -r build')).stdout).toBe('')
  })

  it.each<[string, () => void, string | RegExp]>([
    ['changed', () => appendFileSync(projectFile('hooks/guard.sh'), '#\n'), 'not trusted any more'],
    ['lost its script', () => rmSync(projectFile('hooks/guard.sh')), 'not trusted any more'],
    ['was removed', () => rmSync(projectFile()), 'hooks.json was removed'],
    ['lost its trust', () => rmSync(join(place.home, '.holdfast/trust.json')), 'not trusted any more'],
  ])('that %s denies', async (_, change, reason) => {
    change()
    await expectLost(reason)
  })

  it('denies with the place of the mistake', async () => {
    writeFileSync(projectFile(), '{\n  "version": 1,\n  "hooks": {{\n')
    expect((await shell('rm x')).stdout).toMatch(/could not be loaded \(line 3, column \d+/)
    expect((await start({ source: 'resume' })).stdout).toMatch(/hooks\.json:3:\d+ cannot be loaded/)
  })

  it('denies an older version that was trusted once', async () => {
    const older = place.read(projectFile())
    place.project({ beforeShellExecution: [{ command: '.cursor/hooks/guard.sh' }] })
    await trustShown(await place.open({ trustAll: false }))
    await start()
    writeFileSync(projectFile(), older)
    expect(await isDenied(shell('ls'))).toBe(true)
  })

  it('holds when the agent works in another folder', async () => {
    roots = [place.folder('elsewhere')]
    await expectLost('its folder is not open')
  })
})

describe('pins', () => {
  it('are taken at first sight', async () => {
    guardOfUser()
    expect((await shell('ls')).stdout).toBe('')
    place.user({})
    await expectLost('its entry')
  })

  it('are taken of gates that appear later', async () => {
    await start()
    guardOfUser()
    await shell('ls')
    place.user({})
    await expectLost('its entry')
  })

  it('are taken of all roots', async () => {
    const other = place.folder('other')
    await guardOfProject()
    await guardOfProject(other)
    roots = [place.root, other]
    await start()
    rmSync(join(other, '.cursor/hooks.json'))
    await expectLost('other/.cursor/hooks.json was removed')
  })

  it('are taken of prompts, of reads and of the enterprise', async () => {
    place.enterpriseHooks({
      beforeSubmitPrompt: [{ command: 'cat > /dev/null' }],
      beforeReadFile: [{ command: 'cat > /dev/null' }],
    })
    await start()
    place.enterpriseHooks({})
    expect(await isDenied(asks('hi'), 'UserPromptSubmit')).toBe(true)
    expect(await isDenied(reads('x'))).toBe(true)
    expect(await isDenied(shell('ls'))).toBe(false)
  })

  it('are not taken of hooks that cannot deny', async () => {
    place.user({ postToolUse: [{ command: 'true' }], stop: [{ command: 'true' }] })
    await start()
    place.user({})
    expect((await shell('ls')).stdout).toBe('')
  })

  it('cover a script anywhere, and no program of the machine', async () => {
    const script = place.write(join(place.base, 'tools/guard.sh'), ALLOW)
    place.user({ beforeShellExecution: [{ command: `/bin/sh ${script}` }] })
    await start()
    const state = place.read(join(folder(), 's.json'))
    expect(Object.values(JSON.parse(state).pins)).toMatchObject([{ files: [{ path: script }] }])
    writeFileSync(script, ALLOW.replace('cat', 'cat '))
    expect(await isDenied(shell('ls'))).toBe(true)
  })

  it('do not cover a log that the command writes', async () => {
    const log = place.write(join(place.base, 'audit.jsonl'), '{}\n')
    place.user({ beforeShellExecution: [{ command: `tee -a ${log} > /dev/null` }] })
    await start()
    for (const command of ['ls', 'pwd']) expect((await shell(command)).stdout).toBe('')
    expect(place.read(log)).toContain('pwd')
  })

  it('are the same in a worktree with equal hooks', async () => {
    await guardOfProject()
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], { cwd: place.root })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'x')
    git('worktree', 'add', '-q', join(place.base, 'tree'))
    await start()
    roots = [join(place.base, 'tree')]
    expect((await shell('rm x')).stdout).toBe('')
  })

  it('do not write the state of a session without changes', async () => {
    guardOfUser()
    await start()
    const calls = ['ls', 'rm a', 'ls']
    for (const command of calls) await shell(command)
    // A file that is read only is still replaced, because its folder is not.
    chmodSync(join(folder(), 's.json'), 0o400)
    for (const command of calls) await shell(command)
    expect(execFileSync('stat', ['-c', '%a', join(folder(), 's.json')], { encoding: 'utf8' })).toBe('400\n')
  })

  it('hold in parallel calls', async () => {
    guardOfUser()
    const first = await Promise.all(Array.from({ length: 6 }, () => shell('rm x')))
    expect(first.map(({ stdout }) => stdout)).toEqual(Array(6).fill(''))
    place.user({})
    const then = await Promise.all(Array.from({ length: 6 }, () => isDenied(shell('rm x'))))
    expect(then).toEqual(Array(6).fill(true))
  })
})

describe('a state', () => {
  beforeEach(async () => {
    guardOfUser()
    await start()
  })
  const state = () => join(folder(), 's.json')

  it.each<[string, () => void]>([
    ['deleted', () => rmSync(state())],
    ['empty', () => writeFileSync(state(), '')],
    ['no JSON', () => writeFileSync(state(), '{')],
    ['not a state', () => writeFileSync(state(), '{"session":{}}')],
    ['without pins', () => writeFileSync(state(), place.read(state()).replace('"pins":{', '"pins":[{'))],
    [
      'a folder',
      () => {
        rmSync(state())
        mkdirSync(state())
      },
    ],
  ])('that is %s denies all calls of its session until a new one', async (_, change) => {
    change()
    for (const answered of [await shell('ls'), await shell('ls', { agent_id: 'a', agent_type: 'x' })]) {
      expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
      expect(answered.stdout).toContain('Start a new session.')
    }
    expect((await shell('ls', { session_id: 'other' })).stdout).toBe('')
  })

  it('that cannot be saved is reported when the session starts', async () => {
    rmSync(join(place.home, '.holdfast'), { recursive: true })
    place.write(join(place.home, '.holdfast'), 'a file in place of the folder')
    expect((await start()).stdout).toContain('cannot be saved')
    expect((await shell('ls')).stderr).toContain('cannot be saved')
  })

  it('that cannot be saved denies if a hook may have stopped the session', async () => {
    const command = `cat > /dev/null; echo '{"continue":false}'`
    place.user({ sessionStart: [{ command }] })
    rmSync(join(place.home, '.holdfast'), { recursive: true })
    place.write(join(place.home, '.holdfast'), 'a file in place of the folder')
    await start()
    expect(await isDenied(shell('ls'))).toBe(true)
    expect(await isDenied(asks('hi'), 'UserPromptSubmit')).toBe(true)
  })
})

describe('a hooks.json that cannot be loaded denies at first sight', () => {
  it.each<[string, string | Buffer, string]>([
    ['truncated', '{\n  "version": 1,\n  "hooks": {', 'line 3, column'],
    ['empty', '', 'could not be loaded'],
    ['binary', Buffer.from([0xff, 0xfe, 0, 1]), 'could not be loaded'],
    ['of another version', '{"version":"x","hooks":{}}', 'line 1, column 12'],
    ['with a bad entry', '{"version":1,"hooks":{"beforeShellExecution":[{"command":7}]}}', 'left out'],
  ])('%s', async (_, content, reason) => {
    mkdirSync(join(place.home, '.cursor'), { recursive: true })
    writeFileSync(userFile(), content)
    const answered = await shell('ls')
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    expect(answered.stdout).toContain(reason)
    expect(answered.stdout).toContain(userFile())
    expect((await start()).stdout).toContain('problem(s) in hooks.json')
    expect(place.read(join(place.base, 'runs.jsonl'))).toContain('required source')
  })

  it('unless it belongs to a project that was never trusted', async () => {
    place.write('.cursor/hooks.json', '{')
    expect((await shell('ls')).stdout).toBe('')
    await guardOfProject()
    place.write('.cursor/hooks.json', '{')
    expect(await isDenied(shell('ls', { session_id: 'other' }))).toBe(true)
  })
})

describe('findChangedGuards', () => {
  const find = async () => {
    const hooks = await place.open({ trustAll: false })
    return { hooks, changed: await findChangedGuards(join(folder(), '..'), hooks.catalog(), place.home) }
  }
  const accept = async () => {
    const { hooks, changed } = await find()
    await changed.accept(hooks.catalog())
  }

  it('accepts a gate of the user that was removed, and one that replaces it', async () => {
    guardOfUser()
    await start()
    place.user({})
    await expectLost('its entry')
    await accept()
    expect((await shell('rm x')).stdout).toBe('')
    expect((await find()).changed.lost).toEqual([])
  })

  it('accepts a script as it was shown, and no later change', async () => {
    guardOfUser()
    await start()
    appendFileSync(userScript(), '# mine\n')
    const { hooks, changed } = await find()
    appendFileSync(userScript(), '# of the agent\n')
    await changed.accept(hooks.catalog())
    await expectLost('guard.sh was changed')
    await accept()
    expect((await shell('rm x')).stdout).toBe('')
  })

  it('accepts for all sessions, with the number of those that have not ended', async () => {
    guardOfUser()
    for (const session_id of ['a', 'b', 'c']) await start({ session_id })
    await call('SessionEnd', { session_id: 'c' })
    place.user({})
    const { changed } = await find()
    expect([changed.sessions, changed.lost.length]).toEqual([2, 1])
    await accept()
    for (const session_id of ['a', 'b', 'c']) expect((await shell('rm x', { session_id })).stdout).toBe('')
  })

  it('accepts nothing of another project', async () => {
    const other = place.folder('other')
    await guardOfProject(other)
    roots = [other]
    await start()
    rmSync(join(other, '.cursor/hooks.json'))
    expect((await find()).changed.lost).toEqual([])
    await accept()
    await expectLost('was removed')
  })

  it('accepts nothing of a file that cannot be loaded', async () => {
    guardOfUser()
    await start()
    writeFileSync(userFile(), '{')
    expect((await find()).changed.lost).toEqual([])
    await accept()
    place.user({})
    await expectLost('its entry')
  })

  it('keeps the gates that did not change', async () => {
    guardOfUser()
    await guardOfProject()
    await start()
    rmSync(projectFile())
    await accept()
    place.user({})
    await expectLost('its entry')
  })

  it('leaves out states that cannot be read', async () => {
    guardOfUser()
    await start()
    writeFileSync(join(folder(), 's.json'), '{')
    expect((await find()).changed.lost).toEqual([])
  })
})

describe.each(['codex', 'gemini', 'qwen', 'copilot'] as const)('the pins of %s', agent => {
  it('hold', async () => {
    guardOfUser()
    const { tool, shell: command } = SHAPES[agent]
    expect((await call(tool, command('rm x'), agent)).stdout).toBe('')
    place.user({})
    expect(BLOCKS[agent](tool, await call(tool, command('rm x'), agent))).toBe(true)
    expect(BLOCKS[agent](tool, await call(tool, command('ls'), agent))).toBe(false)
  })
})

describe('a forged session', () => {
  const removeGuard = () => rmSync(userFile())

  it.each([
    ['a start', ['SessionStart']],
    ['an end and a start', ['SessionEnd', 'SessionStart']],
  ])('keeps its pins after %s that the agent sends', async (_, events) => {
    guardOfUser()
    await start()
    removeGuard()
    for (const event of events) await call(event, { source: 'startup' })
    await expectLost(/was removed/)
  })

  it('says at the second start what is lost', async () => {
    guardOfUser()
    await start()
    removeGuard()
    expect((await start()).stdout).toContain('was changed or removed')
  })

  it('is denied when the states of all sessions are gone, until the user goes on', async () => {
    isInstalled = true
    await guardOfProject()
    await start()
    rmSync(join(place.home, '.holdfast'), { recursive: true })
    const answered = await shell('ls')
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    expect(answered.stdout).toContain('state of all sessions is missing')
    await start({ session_id: 'another' })
    expect((await shell('ls', { session_id: 'another' })).stdout).toBe('')
  })
})

describe('a change of the settings of the agent', () => {
  const changes = async () =>
    JSON.parse((await call('ConfigChange', { source: 'user_settings' })).stdout || '{}')

  it.each([
    ['without the entries', { entries: '', turnedOffBy: [] }, 'start a new session'],
    ['with an off-switch', { entries: 'ours', turnedOffBy: ['x in y'] }, 'They contain x in y'],
  ])('%s is rejected', async (_, after, text) => {
    guardOfUser()
    await start()
    settings = after
    expect(await changes()).toMatchObject({ decision: 'block', reason: expect.stringContaining(text) })
  })

  it('is accepted if it does not end guards', async () => {
    guardOfUser()
    settings = { entries: 'ours', turnedOffBy: ['x in y'] }
    await start()
    expect(await changes()).toEqual({})
  })

  it('is accepted without protection of hook files', async () => {
    place.write(userFile(), JSON.stringify({ version: 1, protect_hook_files: false, hooks: userGuard() }))
    await start()
    settings = { entries: '', turnedOffBy: ['x in y'] }
    expect(await changes()).toEqual({})
  })
})

describe('code that a script of the user loads', () => {
  const library = () => join(place.home, 'tools/rules.sh')
  beforeEach(async () => {
    place.write(join(place.home, 'tools/guard.sh'), ALLOW.replace('cat', '. "${0%/*}/rules.sh"; cat'))
    place.write(library(), 'RULES=strict\n')
    place.write(join(place.home, 'tools/other.sh'), '')
    place.user(userGuard({ command: '../tools/guard.sh' }))
    await start()
    expect((await shell('rm -r build')).stdout).toBe('')
  })

  it('is part of the guard', async () => {
    writeFileSync(library(), '')
    await expectLost(/rules\.sh was changed/)
  })

  it('is no other file of its folder', async () => {
    writeFileSync(join(place.home, 'tools/other.sh'), 'changed')
    expect((await shell('rm -r build')).stdout).toBe('')
  })
})

describe('a script that is exchanged while it runs', () => {
  // In place of a second process that puts its own script there for the start of the hook.
  const EXCHANGED = `#!/bin/sh
cat > /dev/null; mv "$0" "$0.own"; cp /bin/true "$0"; rm "$0"; mv "$0.own" "$0"; echo {}
`

  it('denies in a file of the user', async () => {
    place.write(userScript(), EXCHANGED)
    place.user(userGuard())
    await start()
    const answered = await shell('rm -r build')
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    expect(answered.stdout).toContain('was changed while hooks ran')
    expect(answered.stderr).toContain('guard.sh was changed while hooks ran')
  })

  it('denies in a project', async () => {
    place.write('.cursor/hooks/guard.sh', EXCHANGED)
    place.project({ beforeShellExecution: [{ command: '.cursor/hooks/guard.sh', matcher: 'rm' }] })
    await trustShown(await place.open({ trustAll: false, workspaceRoots: [place.root] }))
    await start()
    expect((await shell('rm -r build')).stdout).toContain('was changed while hooks ran')
  })

  it('is none when a hook writes other files into its folder', async () => {
    place.write(userScript(), ALLOW.replace('cat', 'touch "$0.log"; cat'))
    place.user(userGuard())
    await start()
    expect((await shell('rm -r build')).stdout).toBe('')
  })
})
