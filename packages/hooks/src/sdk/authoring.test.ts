// The functions for authors of hooks, called directly: where a path lies, the state of a conversation, the audit file, and another
// program. tests/integration/sdk.test.ts runs the same functions inside hook programs.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appendAudit } from './audit.js'
import { runCommand } from './command.js'
import { mcpInput } from './normalise.js'
import { conversationState } from './state.js'
import { isInsideWorkspace, workspacePath } from './workspace.js'

let folder: string
const at = (...parts: string[]) => join(folder, ...parts)
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-authoring-')))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

describe('the place of a path', () => {
  const judged = (path: string, roots: readonly string[] = [at('project')], cwd?: string) => {
    const place = { workspace_roots: roots, ...(cwd === undefined ? {} : { cwd }) }
    return [isInsideWorkspace(place, path), workspacePath(place, path)]
  }

  it('is outside for the parent of a root, and inside for a name that begins with two dots', () => {
    expect(judged('..')).toEqual([false, folder])
    expect(judged('../other')).toEqual([false, at('other')])
    expect(judged('..data/a')).toEqual([true, '..data/a'])
    expect(judged('...')).toEqual([true, '...'])
  })

  it('is outside without a root', () => {
    expect(judged(at('project/a'), [])).toEqual([false, at('project/a')])
  })

  it('begins at the folder of the call, which itself begins at the first root', () => {
    const roots = [at('project'), at('second')]
    expect(judged('a', roots)).toEqual([true, 'a'])
    expect(judged('a', roots, 'src')).toEqual([true, 'src/a'])
    expect(judged('a', roots, at('second/lib'))).toEqual([true, 'lib/a'])
    expect(judged('a', roots, at('elsewhere'))).toEqual([false, at('elsewhere/a')])
    expect(judged('../a', roots, at('elsewhere/project'))).toEqual([false, at('elsewhere/a')])
  })

  it('is told from the nearest root, in whatever order the roots come', () => {
    const [outer, inner] = [at('project'), at('project/packages/a')]
    for (const roots of [
      [outer, inner],
      [inner, outer],
    ])
      expect(judged(join(inner, 'b.ts'), roots)).toEqual([true, 'b.ts'])
  })

  it('follows the links of a root, too', () => {
    mkdirSync(at('real'))
    symlinkSync('real', at('project'))
    expect(judged(at('real/a'))).toEqual([true, 'a'])
    expect(judged(at('project/a'), [at('real')])).toEqual([true, 'a'])
  })

  it('follows 40 links, and takes a longer chain for a path that leads nowhere', () => {
    mkdirSync(at('project'))
    symlinkSync('end', at('project/1'))
    for (let link = 2; link <= 41; link++) symlinkSync(String(link - 1), at(`project/${link}`))
    expect(judged('40')).toEqual([true, 'end'])
    expect(isInsideWorkspace({ workspace_roots: [at('project')] }, '41')).toBe(false)
  })

  it('expands ~ to the home folder, as a shell does, and only in front', () => {
    const home = realpathSync(homedir())
    expect(judged('~/a', [home])).toEqual([true, 'a'])
    expect(judged('~', [home])).toEqual([true, '.'])
    expect(judged('~/a')).toEqual([false, join(home, 'a')])
    expect(judged('~a')).toEqual([true, '~a'])
    expect(judged('a/~/b')).toEqual([true, 'a/~/b'])
  })

  it('is outside for a name with a zero', () => {
    for (const path of ['a\0', '\0', `${at('project')}/a\0b`])
      expect(isInsideWorkspace({ workspace_roots: [at('project')] }, path)).toBe(false)
  })
})

describe('the state of a conversation', () => {
  beforeEach(() => vi.stubEnv('HOLDFAST_STATE', folder))

  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a b', 'a\0', 'a\n', 'ä', 'x'.repeat(81)])(
    'refuses the name %j',
    name => {
      expect(() => conversationState({ conversation_id: 'c' }, name, 0)).toThrow(TypeError)
    },
  )

  it('takes other names, and keeps conversations and names apart', async () => {
    const files = [
      conversationState({ conversation_id: 'c1' }, 'count', 0),
      conversationState({ conversation_id: 'c2' }, 'count', 0),
      conversationState({ conversation_id: 'c1' }, 'x'.repeat(80), 0),
      conversationState({}, 'A.b-c_1', 0),
    ]
    for (const [index, state] of files.entries()) await state.update(() => index + 1)
    expect(files.map(state => state.read())).toEqual([1, 2, 3, 4])
    // The beginnings of the SHA-256 of "c1" and of "".
    expect(files[0]!.file).toBe(at('d0f631ca1ddba8db3bcfcb9e057cdc98', 'count.json'))
    expect(files[3]!.file).toBe(at('e3b0c44298fc1c149afbf4c8996fb924', 'A.b-c_1.json'))
    expect(statSync(files[0]!.file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(files[0]!.file)).mode & 0o777).toBe(0o700)
  })

  it('is kept below the home folder when no other folder is named', () => {
    for (const unset of ['', undefined]) {
      vi.stubEnv('HOLDFAST_STATE', unset)
      const { file } = conversationState({ conversation_id: 'c1' }, 'count', 0)
      expect(dirname(dirname(file))).toBe(join(homedir(), '.holdfast', 'state'))
      expect(basename(file)).toBe('count.json')
    }
  })

  it('begins with a copy of the initial value each time', () => {
    const initial: number[] = []
    const state = conversationState({ conversation_id: 'c' }, 'list', initial)
    state.read().push(1)
    expect(state.read()).toEqual([])
    expect(initial).toEqual([])
  })

  it('keeps the value when a change fails', async () => {
    const state = conversationState({ conversation_id: 'c' }, 'count', 0)
    await state.update(() => 5)
    const failing = () => {
      throw new Error('no')
    }
    await expect(state.update(failing)).rejects.toThrow('no')
    expect(state.read()).toBe(5)
    expect(await state.update(count => count + 1)).toBe(6)
  })
})

describe('the audit file', () => {
  it('is for its owner alone, with the folders that are made for it', () => {
    appendAudit(at('here.jsonl'), { a: 'one\ntwo' })
    appendAudit(at('deep/er/there.jsonl'), { b: 2 })
    for (const file of ['here.jsonl', 'deep/er/there.jsonl'])
      expect(statSync(at(file)).mode & 0o777).toBe(0o600)
    for (const made of ['deep', 'deep/er']) expect(statSync(at(made)).mode & 0o777).toBe(0o700)
    appendAudit(at('here.jsonl'), { c: 3 })
    expect(readFileSync(at('here.jsonl'), 'utf8')).toBe('{"a":"one\\ntwo"}\n{"c":3}\n')
  })

  it('throws where it cannot write', () => {
    mkdirSync(at('folder'))
    expect(() => appendAudit(at('folder'), {})).toThrow('EISDIR')
  })
})

describe('the arguments of an MCP call', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    ['', {}],
    [' \n', {}],
  ])('are read from %j', (tool_input, expected) => expect(mcpInput({ tool_input })).toEqual(expected))

  it.each(['[1]', '7', 'null', '"text"', 'no JSON', [], [1], 7, 0, false, null, undefined])(
    'are refused when they are %j',
    tool_input => expect(() => mcpInput({ tool_input })).toThrow('not a JSON object'),
  )
})

describe('another program', () => {
  const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  const listeners = () => SIGNALS.map(name => process.listenerCount(name))

  it('runs with the folder, the variables and the input that are given', async () => {
    const script = 'pwd; echo "$WORD"; cat; exit 4'
    const env = { PATH: process.env.PATH, WORD: 'blue' }
    expect(await runCommand('sh', ['-c', script], { cwd: folder, env, input: 'given' })).toEqual({
      code: 4,
      signal: null,
      stdout: `${folder}\nblue\ngiven`,
      stderr: '',
      timedOut: false,
      error: null,
    })
  })

  it('keeps 1 MiB of each stream', async () => {
    const script = 'head -c 1200000 /dev/zero; head -c 1200000 /dev/zero >&2'
    const { code, stdout, stderr } = await runCommand('sh', ['-c', script])
    expect([code, stdout.length, stderr.length]).toEqual([0, 1_048_576, 1_048_576])
  })

  it('ends at its limit, and says so', async () => {
    const ended = await runCommand('sleep', ['60'], { timeoutMs: 20 })
    expect(ended).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true })
  })

  it('has 10 seconds unless told otherwise', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await runCommand('true')
    expect(timers.mock.calls.map(([, delay]) => delay)).toContain(10_000)
  })

  it('ends with the hook on each signal, and leaves no listener behind', async () => {
    const before = listeners()
    const counts = (more: number) => before.map(count => count + more)
    const running = runCommand('cat')
    await vi.waitFor(() => expect(listeners()).toEqual(counts(1)), { interval: 1 })
    await running
    expect(listeners()).toEqual(before)
    expect(await runCommand('no-such-program-here')).toMatchObject({ code: null, error: expect.any(String) })
    expect(await runCommand('a\0b')).toMatchObject({ code: null, error: expect.any(String) })
    expect(listeners()).toEqual(before)
  })
})
