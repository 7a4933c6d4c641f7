// The standard tools alone: what they do, what they refuse, and where they end.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asSchema } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive } from '../../../../../tests/fixtures/workspace.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { bounded } from './bounded.js'
import { codingTools } from './coding-tools.js'
import { holdFile } from './files.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const call = async (name: string, input: object, abortSignal?: AbortSignal): Promise<unknown> => {
  const tool = codingTools({ workspace: place.workspace })[name]!
  const checked = await asSchema(tool.inputSchema).validate!(input)
  if (!checked.success) throw checked.error
  const options = { toolCallId: '1', messages: [], ...(abortSignal ? { abortSignal } : {}) }
  return tool.execute!(checked.value as never, options)
}

describe('paths', () => {
  beforeEach(() => {
    writeFileSync(join(place.home, 'secret.txt'), 'secret')
    symlinkSync(place.home, join(place.workspace, 'out'))
    symlinkSync(join(place.home, 'secret.txt'), join(place.workspace, 'link.txt'))
    symlinkSync(join(place.home, 'new.txt'), join(place.workspace, 'dangling.txt'))
    mkdirSync(`${place.workspace}-beside`)
  })

  it.each([
    ['Read', { file_path: '../home/secret.txt' }],
    ['Read', { file_path: 'link.txt' }],
    ['Read', { file_path: 'out/secret.txt' }],
    ['Read', { file_path: '/etc/passwd' }],
    ['Write', { file_path: 'out/made.txt', content: '' }],
    ['Write', { file_path: '../project-beside/made.txt', content: '' }],
    ['Delete', { file_path: 'out/secret.txt' }],
    ['Grep', { pattern: 'secret', file_path: 'out' }],
    ['LS', { path: '..' }],
    ['Shell', { command: 'ls', cwd: 'out' }],
  ])('%s %j is outside', (name, input) =>
    expect(call(name, input)).rejects.toThrow('is outside of the workspace.'),
  )

  it('that links lead out of are not searched', async () => {
    expect(await call('Grep', { pattern: 'secret' })).toBe('Nothing was found.')
    expect(await call('Grep', { pattern: '' })).toBe('Nothing was found.')
    expect(await call('LS', {})).toBe('dangling.txt\nlink.txt\nout')
  })

  it('that lead nowhere are not written through', async () => {
    const write = call('Write', { file_path: 'dangling.txt', content: 'x' })
    await expect(write).rejects.toThrow('leads nowhere')
  })

  it('of a link delete the link', async () => {
    await call('Delete', { file_path: 'link.txt' })
    expect(place.has('link.txt')).toBe(false)
    expect(place.has('../home/secret.txt')).toBe(true)
  })

  it('are under the workspace as the host spells it', async () => {
    place.write('src/a.txt', 'a')
    symlinkSync('src', join(place.workspace, 'inner'))
    const spelled = join(place.home, 'linked')
    symlinkSync(place.workspace, spelled)
    expect(await holdFile(spelled, 'inner/a.txt')).toEqual({ path: join(spelled, 'src/a.txt'), content: 'a' })
    expect((await holdFile(spelled, join(place.workspace, 'src/a.txt'))).path).toBe(
      join(spelled, 'src/a.txt'),
    )
  })

  it('may begin with two dots', async () => {
    place.write('..hidden/a.txt', 'a')
    expect((await holdFile(place.workspace, '..hidden/a.txt')).content).toBe('a')
  })

  it('that no path can be are refused', () =>
    expect(call('Read', { file_path: 'a\0b' })).rejects.toThrow(
      'The path contains a character that is not valid in paths.',
    ))
})

describe('what hooks have judged', () => {
  const run = (name: string, input: object, prepared: unknown) =>
    codingTools({ workspace: place.workspace })[name]!.execute!(
      input as never,
      {
        toolCallId: '1',
        messages: [],
        prepared,
      } as never,
    )

  it('is what is read, even if the file has changed', async () => {
    place.write('a.txt', 'later')
    const held = { path: join(place.workspace, 'a.txt'), content: 'judged' }
    expect(await run('Read', { file_path: 'a.txt' }, held)).toBe('judged')
  })

  it('is where is written, even if the path leads elsewhere by now', async () => {
    mkdirSync(join(place.workspace, 'judged'))
    symlinkSync(place.home, join(place.workspace, 'later'))
    const held = { path: join(place.workspace, 'judged/a.txt'), content: '' }
    await run('Write', { file_path: 'later/a.txt', content: 'x' }, held)
    expect([place.has('judged/a.txt'), place.has('../home/a.txt')]).toEqual([true, false])
  })
})

describe('inputs', () => {
  it.each([
    ['Shell', {}, '"command" is missing.'],
    ['Shell', { command: 'ls', timeout: -1 }, '"timeout" must be a whole number, 0 or more.'],
    ['Shell', { command: 'ls', shell: true }, '"shell" is not an input; known are command, cwd, timeout.'],
    ['Read', [], 'The input must be an object.'],
    ['Write', { file_path: 'a', content: 1 }, '"content" must be text.'],
  ])('%s %j', (name, input, words) => expect(call(name, input)).rejects.toThrow(words))
})

describe('Shell', () => {
  afterEach(() => vi.useRealTimers())

  const isWritten = async (path: string) => {
    while (!place.has(path) || !place.read(path).endsWith('\n')) await sleep(10)
  }

  it('returns what was printed and the exit code', async () => {
    expect(await call('Shell', { command: 'echo out; echo err >&2; exit 3' })).toEqual({
      output: expect.stringMatching(/out\n/),
      exitCode: 3,
    })
  })

  it('does not wait for what a command leaves running', async () => {
    const command = 'sleep 60 & echo $! > pid; echo started'
    expect(await call('Shell', { command })).toMatchObject({ output: 'started\n' })
    const pid = Number(place.read('pid'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid)
  })

  it('ends the whole group at the limit and says what was printed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const running = call('Shell', { command: 'echo begun; sleep 60 & echo $! > pid; wait', timeout: 700 })
    const ended = expect(running).rejects.toThrow(
      'The command did not end within 700 ms and was stopped. It had printed:\nbegun',
    )
    await isWritten('pid')
    vi.advanceTimersByTime(699)
    await sleep(10)
    expect(isAlive(Number(place.read('pid')))).toBe(true)
    let isOver = false
    void running.catch(() => {
      isOver = true
    })
    for (; !isOver; await sleep(10)) vi.advanceTimersByTime(10)
    await ended
    expect(isAlive(Number(place.read('pid')))).toBe(false)
  })

  it('keeps the beginning and the end of a flood', async () => {
    const { output } = (await call('Shell', { command: 'yes | head -c 3000000; echo last' })) as {
      output: string
    }
    expect(output.length).toBeLessThan(31_000)
    expect(output).toMatch(/^y\n[\s\S]*\[\d+ characters left out\][\s\S]*last\n$/)
  })

  it('kills a command that ignores the request to end', async () => {
    const controller = new AbortController()
    const command = 'trap "" TERM; echo $$ > pid; exec sleep 60'
    const running = call('Shell', { command }, controller.signal)
    await isWritten('pid')
    controller.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    const pid = Number(place.read('pid'))
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  })

  it('does not start when it is aborted before', async () => {
    const running = call('Shell', { command: 'echo > started' }, AbortSignal.abort(new Error('enough')))
    await expect(running).rejects.toThrow('enough')
    expect(place.has('started')).toBe(false)
  })

  it('takes no longer limit than ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const running = call('Shell', { command: 'echo $$ > pid; exec sleep 60', timeout: 1e9 })
    const ended = expect(running).rejects.toThrow('did not end within 600000 ms')
    await isWritten('pid')
    let isOver = false
    void running.catch(() => {
      isOver = true
    })
    vi.advanceTimersByTime(600_000)
    for (; !isOver; await sleep(10)) vi.advanceTimersByTime(10)
    await ended
  })

  it('gives a command the environment of the tools, and no input', async () => {
    const { Shell } = codingTools({
      workspace: place.workspace,
      env: { PATH: process.env.PATH, GIVEN: 'yes' },
    })
    const options = { toolCallId: '1', messages: [] }
    const command = 'cat; echo "$GIVEN ${HOME-none}"'
    const result = await Shell!.execute!({ command } as never, options)
    expect(result).toEqual({ output: 'yes none\n', exitCode: 0 })
  })

  it('ends when it is aborted', async () => {
    const controller = new AbortController()
    const running = call('Shell', { command: 'echo $$ > pid; exec sleep 60' }, controller.signal)
    await isWritten('pid')
    controller.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(isAlive(Number(place.read('pid')))).toBe(false)
  })
})

describe('files', () => {
  it('are read in parts', async () => {
    place.write('a.txt', 'one\ntwo\nthree\nfour')
    expect(await call('Read', { file_path: 'a.txt', offset: 1, limit: 2 })).toBe('two\nthree\n[1 more lines]')
  })

  it('that are not text, not files or too large are refused', async () => {
    place.write('a.bin', 'a\0b')
    place.write('big.txt', 'x'.repeat(10 * 1024 * 1024 + 1))
    mkdirSync(join(place.workspace, 'folder'))
    await expect(call('Read', { file_path: 'a.bin' })).rejects.toThrow('a.bin is not text.')
    await expect(call('Read', { file_path: 'big.txt' })).rejects.toThrow('larger than')
    await expect(call('Read', { file_path: 'folder' })).rejects.toThrow('folder is not a file.')
    await expect(call('Delete', { file_path: 'folder' })).rejects.toThrow('only files are deleted')
    await expect(call('Delete', { file_path: 'gone' })).rejects.toThrow('gone does not exist.')
  })

  it('are written with their folders', async () => {
    expect(await call('Write', { file_path: 'a/b/c.txt', content: 'ü' })).toBe('Wrote 2 bytes to a/b/c.txt.')
    expect(place.read('a/b/c.txt')).toBe('ü')
  })
})

describe('looking around', () => {
  beforeEach(() => {
    place.write('src/a.ts', 'const a = 1\nconst b = 2\n')
    place.write('src/deep/b.ts', 'const c = 3\n')
    place.write('README.md', 'const in words\n')
    place.write('node_modules/x/index.js', 'const d = 4\n')
  })

  it('finds lines', async () => {
    expect(await call('Grep', { pattern: '^const [ab]' })).toBe(
      'src/a.ts:1:const a = 1\nsrc/a.ts:2:const b = 2',
    )
    expect(await call('Grep', { pattern: 'const', glob: '*.md' })).toBe('README.md:1:const in words')
    expect(await call('Grep', { pattern: 'nowhere' })).toBe('Nothing was found.')
  })

  it('finds files', async () => {
    expect(await call('Grep', { pattern: '', glob: 'src/**/*.ts' })).toBe('src/a.ts\nsrc/deep/b.ts')
    expect(await call('LS', {})).toBe('README.md\nnode_modules/\nsrc/')
    expect(await call('LS', { path: 'src' })).toBe('a.ts\ndeep/')
    await expect(call('LS', { path: 'README.md' })).rejects.toThrow('is not a folder')
  })

  it('does not follow a pattern that never ends', async () => {
    place.write('evil.txt', `${'a'.repeat(40)}!`)
    await expect(call('Grep', { pattern: '^(a+)+$', file_path: 'evil.txt' })).rejects.toThrow(
      'simpler pattern',
    )
    await expect(call('Grep', { pattern: '(' })).rejects.toThrow('not a regular expression')
  }, 30_000)
})

it('bounded text says how much is missing', () => {
  expect(bounded('abcdefghij', 4)).toBe('ab\n[6 characters left out]\nij')
  expect(bounded('abcd', 4)).toBe('abcd')
})
