// SDK programs, bundled by the real command, as real processes.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { isAlive, until } from '../fixtures/workspace.js'
import { runsEverything } from '../scope.js'
import { canBeWarm, runHoldfast, startWarm } from '../warm/warm.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'))
const at = (name: string) => join(folder, name)
const warm = canBeWarm ? startWarm() : undefined
afterAll(async () => {
  await warm?.close()
  rmSync(folder, { recursive: true, force: true })
})
/** Larger than a pipe and than one read. */
const LARGE = runsEverything ? 50_000_000 : 8_000_000

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function start(file: string, input: string | Buffer | number, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [file], {
      stdio: [typeof input === 'number' ? input : 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, HOLDFAST_STATE: at('state'), ...env },
    })
    let [stdout, stderr] = ['', '']
    child.stdout!.on('data', chunk => (stdout += chunk))
    child.stderr!.on('data', chunk => (stderr += chunk))
    child.once('close', code => resolve({ code, stdout, stderr }))
    if (typeof input !== 'number') child.stdin!.on('error', () => {}).end(input)
  })
}

/** Bundles a source and returns the path of the bundle. */
function built(name: string, source: string): string {
  writeFileSync(at(`${name}.ts`), source)
  const { status, stderr } = runHoldfast(warm, ['build', at(`${name}.ts`)], { cwd: root, env: process.env })
  expect(`${status} ${stderr}`).toBe('0 ')
  return at(`${name}.cjs`)
}

const payload = (command: string, more: object = {}) =>
  JSON.stringify({ hook_event_name: 'beforeShellExecution', cursor_version: '3.1.0', command, ...more })

let guard = ''
beforeAll(() => {
  guard = built(
    'guard',
    `import { hook, deny, ask, allow } from '@holdfast/hooks/sdk'
    export default hook({
      beforeShellExecution: async ({ command }) => {
        switch (command) {
          case 'deny': return deny('No.')
          case 'ask': return ask('Really?')
          case 'print': console.log('noise'); process.stdout.write('more noise'); return deny('No.')
          case 'throw': throw new Error('disk full')
          case 'throw later': setTimeout(() => { throw new Error('too late') }, 1); await new Promise(r => setTimeout(r, 5000)); return allow()
          case 'reject': Promise.reject(new Error('lost')); await new Promise(r => setTimeout(r, 5000)); return allow()
          case 'never': await new Promise(() => {}); return allow()
          case 'exit': process.exit(7)
          case 'timer': setInterval(() => {}, 1000); return deny('No.')
          default: if (command.length > 1000) return deny(String(command.length))
        }
      },
    })`,
  )
})

const run = async (input: string | Buffer) => {
  const { code, stdout, stderr } = await start(guard, input)
  expect(code).toBe(0)
  expect(stdout.endsWith('\n')).toBe(true)
  expect(stdout.indexOf('\n')).toBe(stdout.length - 1)
  return { response: JSON.parse(stdout) as Record<string, unknown>, stderr }
}

describe('a program', () => {
  it('responds once, and prints {} to abstain', async () => {
    expect(await run(payload('ls'))).toEqual({ response: {}, stderr: '' })
    expect(await run(payload('deny'))).toEqual({
      response: { permission: 'deny', user_message: 'No.' },
      stderr: '',
    })
    expect((await run(payload('ask'))).response).toEqual({ permission: 'ask', user_message: 'Really?' })
  })

  it('keeps output of a handler out of the response', async () => {
    const { response, stderr } = await run(payload('print'))
    expect(response.permission).toBe('deny')
    expect(stderr).toBe('noise\nmore noise')
  })

  it('keeps output of a handler out of the response after an earlier print', async () => {
    const early = built(
      'early',
      `import { hook, deny } from '@holdfast/hooks/sdk'
      console.log('ready')
      hook({ beforeShellExecution: () => { console.log('noise'); return deny('No.') } })`,
    )
    const { stdout, stderr } = await start(early, payload('ls'))
    expect(stdout).toBe('ready\n{"permission":"deny","user_message":"No."}\n')
    expect(stderr).toBe('noise\n')
  })

  it.each(['deny', 'allow'])('keeps exit code 2 of a handler with onError %s', async onError => {
    const program = built(
      `exits-${onError}`,
      `import { hook, allow } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: ({ command }) => {
        const [how, code] = command.split(' ')
        if (how === 'print') console.log('noise')
        if (how === 'timer') { setTimeout(() => process.exit(Number(code)), 5); return new Promise(() => {}) }
        if (how === 'tick') { process.nextTick(() => process.exit(Number(code))); return new Promise(() => {}) }
        if (how === 'set') { process.exitCode = Number(code); return allow() }
        if (how === 'set-text') { process.exitCode = code as never; return allow() }
        if (how === 'set-throw') { process.exitCode = Number(code); throw new Error('x') }
        process.exit(how === 'text' ? code as never : Number(code))
      } }, { onError: '${onError}' })`,
    )
    for (const how of ['exit', 'text', 'print', 'timer', 'tick'])
      expect(await start(program, payload(`${how} 2`)), how).toMatchObject({ code: 2, stdout: '' })
    for (const how of ['set', 'set-text', 'set-throw'])
      expect(await start(program, payload(`${how} 2`)), how).toMatchObject({ code: 2 })
    expect(await start(program, payload('exit 1'))).toMatchObject({ code: 0 })
  })

  it.runIf(existsSync('/dev/full'))('exits with 2 if a deny cannot be written', () => {
    const full = openSync('/dev/full', 'w')
    const exit = (command: string) =>
      spawnSync(process.execPath, [guard], { input: payload(command), stdio: ['pipe', full, 'pipe'] }).status
    expect([exit('deny'), exit('ls')]).toEqual([2, 1])
    closeSync(full)
  })

  it.each([
    ['throw', 'the handler for beforeShellExecution failed: disk full\n'],
    ['throw later', 'the program failed: too late\n'],
    ['reject', 'the program failed: lost\n'],
    ['never', 'the program ended before it responded.\n'],
    ['exit', 'the program ended before it responded.\n'],
  ])('%s: denies, and prints one line without a stack', async (command, problem) => {
    const { response, stderr } = await run(payload(command))
    expect(response.permission).toBe('deny')
    expect(stderr).toBe(problem)
  })

  it('denies if its file throws after hook()', async () => {
    const broken = built(
      'broken',
      `import { hook } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: () => undefined })
      throw new Error('further down')`,
    )
    const { code, stdout, stderr } = await start(broken, payload('ls'))
    expect(JSON.parse(stdout)).toMatchObject({ permission: 'deny' })
    expect(stderr).toContain('further down')
    expect(code).toBe(0)
  })

  it('ends when it has responded, despite open timers', async () => {
    // Its interval never ends by itself.
    expect((await run(payload('timer'))).response.permission).toBe('deny')
  })

  it.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['half a payload', payload('ls').slice(0, 40)],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['zeros', Buffer.alloc(1000)],
    ['deep nesting', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a large text that is not JSON', Buffer.alloc(LARGE, 'x')],
  ])('%s on stdin: denies', async (_, input) => {
    const { response, stderr } = await run(input)
    expect(response).toMatchObject({ permission: 'deny', continue: false })
    expect(stderr.length).toBeLessThan(600)
    expect(stderr.trim()).not.toContain('\n')
  })

  it('reads a large payload with characters split between chunks', async () => {
    const long = '\u00e9\u{1f512}'.repeat(LARGE / 6)
    expect((await run(`\ufeff${payload(long)}`)).response.user_message).toBe(String(long.length))
  })

  it('reads a file as well as a pipe', async () => {
    writeFileSync(at('payload.json'), payload('deny'))
    const input = openSync(at('payload.json'), 'r')
    const { stdout } = await start(guard, input)
    closeSync(input)
    expect(JSON.parse(stdout).permission).toBe('deny')
  })

  it('waits for a payload that arrives in parts', async () => {
    const child = spawn(process.execPath, [guard], { stdio: ['pipe', 'pipe', 'inherit'] })
    let stdout = ''
    child.stdout.on('data', chunk => (stdout += chunk))
    const text = payload('deny')
    child.stdin.write(text.slice(0, 20))
    await new Promise(resolve => setTimeout(resolve, 150))
    child.stdin.end(text.slice(20))
    await new Promise(resolve => child.once('close', resolve))
    expect(JSON.parse(stdout).permission).toBe('deny')
  })

  it('prints a stack with HOLDFAST_DEBUG', async () => {
    const { stderr } = await start(guard, payload('throw later'), { HOLDFAST_DEBUG: '1' })
    expect(stderr).toMatch(/\n +at /)
  })

  it('needs no other file', async () => {
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere/guard.cjs'), readFileSync(guard))
    const { stdout } = await start(at('elsewhere/guard.cjs'), payload('deny'))
    expect(JSON.parse(stdout).permission).toBe('deny')
    expect(readFileSync(guard, 'utf8')).not.toMatch(/require\((?!"node:)/)
    expect(readFileSync(guard, 'utf8')).not.toContain(root)
    expect(statSync(guard).mode & 0o111).toBe(0o111 & ~process.umask())
  })
})

describe('what authors otherwise write by hand', () => {
  it('many processes append to one audit file, and no line is torn', async () => {
    const audit = built(
      'audit',
      `import { hook, appendAudit } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: ({ command }) => {
        for (let i = 0; i < 20; i++) appendAudit(process.env.AUDIT!, { command, i, filler: 'x'.repeat(5000) })
      } })`,
    )
    const file = at('deep/er/audit.jsonl')
    await Promise.all(Array.from({ length: 8 }, (_, i) => start(audit, payload(`c${i}`), { AUDIT: file })))
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { command: string; i: number })
    expect(lines.length).toBe(160)
    expect(new Set(lines.map(({ command, i }) => `${command} ${i}`)).size).toBe(160)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('a line that a crash cut off does not swallow the next', async () => {
    writeFileSync(at('torn.jsonl'), '{"half":')
    await start(at('audit.cjs'), payload('c'), { AUDIT: at('torn.jsonl') })
    const lines = readFileSync(at('torn.jsonl'), 'utf8').split('\n')
    expect(lines[0]).toBe('{"half":')
    expect(JSON.parse(lines[1]!)).toMatchObject({ command: 'c' })
  })

  it('many processes count in one state, and none is lost', async () => {
    const count = built(
      'count',
      `import { hook, deny, conversationState } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: async payload => {
        const state = conversationState(payload, 'count', { n: 0 })
        const { n } = await state.update(async old => { await new Promise(r => setTimeout(r, 2)); return { n: old.n + 1 } })
        return deny(String(n))
      } })`,
    )
    const state = at('counts')
    const one = () => start(count, payload('x', { conversation_id: '../../etc' }), { HOLDFAST_STATE: state })
    const ended = await Promise.all(Array.from({ length: 10 }, one))
    const numbers = ended.map(({ stdout }) => Number(JSON.parse(stdout).user_message)).sort((a, b) => a - b)
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const other = await start(count, payload('x', { conversation_id: 'other' }), { HOLDFAST_STATE: state })
    expect(JSON.parse(other.stdout).user_message).toBe('1')
  })

  it('a state that was left locked, or was cut off, does not stop the next', async () => {
    const hash = 'e3b0c44298fc1c149afbf4c8996fb924'
    mkdirSync(at(`stale/${hash}`), { recursive: true })
    writeFileSync(at(`stale/${hash}/count.json`), '{"n":')
    writeFileSync(at(`stale/${hash}/count.json.lock`), '')
    execFileSync('touch', ['-d', '1 minute ago', at(`stale/${hash}/count.json.lock`)])
    const { stdout } = await start(at('count.cjs'), payload('x'), { HOLDFAST_STATE: at('stale') })
    expect(JSON.parse(stdout).user_message).toBe('1')
  })

  it('commands end at their limit, with all that they started', async () => {
    const run = built(
      'run',
      `import { hook, deny, runCommand } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: async ({ command }) => deny(JSON.stringify(await runCommand('sh', ['-c', command], { timeoutMs: 1500, input: 'given' }))) })`,
    )
    const result = async (command: string) =>
      JSON.parse(JSON.parse((await start(run, payload(command))).stdout).user_message) as Record<
        string,
        unknown
      >
    expect(await result('cat; echo oops >&2; exit 3')).toMatchObject({
      code: 3,
      stdout: 'given',
      stderr: 'oops\n',
      timedOut: false,
    })
    // The sleeps are longer than the limit of this test.
    const file = at('left-running')
    const left = () => Number(readFileSync(file, 'utf8'))
    expect(await result(`(trap '' TERM; sleep 60) & echo $! > ${file}; sleep 60`)).toMatchObject({
      timedOut: true,
      code: null,
    })
    await until(() => !isAlive(left()))
    // A process that the command leaves running does not delay the answer, either.
    expect(await result(`sleep 60 & echo $! > ${file}; echo done`)).toMatchObject({
      code: 0,
      stdout: 'done\n',
      timedOut: false,
    })
    expect(isAlive(left())).toBe(true)
    process.kill(left(), 'SIGKILL')
  })

  it('a command ends with the hook, when a host ends that', async () => {
    const run = built(
      'ended',
      `import { hook, runCommand } from '@holdfast/hooks/sdk'
      hook({ stop: async () => { await runCommand('sh', ['-c', process.env.COMMAND]) } })`,
    )
    const began = at('began')
    const env = { ...process.env, COMMAND: 'echo $$ > "$BEGAN"; while :; do sleep 0.05; done', BEGAN: began }
    const child = spawn(process.execPath, [run], { env })
    const ended = new Promise<string | null>(resolve => child.once('exit', (_, signal) => resolve(signal)))
    child.stdin.end('{"hook_event_name":"stop"}')
    const pid = () => (existsSync(began) ? Number(readFileSync(began, 'utf8')) : 0)
    await until(() => pid() > 0)
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
    await until(() => !isAlive(pid()))
  })

  it('a limit that no timer can hold is not one that is over', async () => {
    const run = built(
      'patient',
      `import { hook, deny, runCommand } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: async () => deny(JSON.stringify(await runCommand('sleep', ['0.1'], { timeoutMs: 1e12 }))) })`,
    )
    const { stdout, stderr } = await start(run, payload('x'))
    expect(JSON.parse(JSON.parse(stdout).user_message)).toMatchObject({ code: 0, timedOut: false })
    expect(stderr).toBe('')
  })

  it('a command that is not there is a result, too', async () => {
    const run = built(
      'absent',
      `import { hook, deny, runCommand } from '@holdfast/hooks/sdk'
      hook({ beforeShellExecution: async () => deny(JSON.stringify(await runCommand('no-such-program-here'))) })`,
    )
    const { stdout } = await start(run, payload('x'))
    expect(JSON.parse(JSON.parse(stdout).user_message)).toMatchObject({
      code: null,
      error: expect.stringMatching(/ENOENT|EACCES/),
    })
  })

  it('paths are judged by what they lead to', async () => {
    const paths = built(
      'paths',
      `import { hook, deny, isInsideWorkspace, workspacePath } from '@holdfast/hooks/sdk'
      const judged = (p, path) => [isInsideWorkspace(p, path), workspacePath(p, path)]
      hook({ beforeReadFile: p => deny(JSON.stringify([
        judged(p, p.file_path),
        ...JSON.parse(p.content).map(([path, workspace_roots]) => judged({ ...p, workspace_roots }, path)),
      ])) })`,
    )
    mkdirSync(at('shop/src'), { recursive: true })
    mkdirSync(at('shop-secrets'))
    writeFileSync(at('shop-secrets/key'), '')
    symlinkSync(at('shop-secrets'), at('shop/link'))
    symlinkSync(at('nowhere'), at('shop/dangling'))
    symlinkSync(at('shop'), at('alias'))
    mkdirSync(at('shop-secrets/deep'))
    symlinkSync(at('shop-secrets/deep'), at('shop/deep'))
    symlinkSync('deep/../../shop-secrets/not-there-yet', at('shop/crooked'))
    symlinkSync('round', at('shop/round'))

    type Judged = readonly [isInside: boolean, path: unknown]
    const outside: Judged = [false, expect.any(String)]
    const shop = [at('shop')]
    const cases: [path: string, judged: Judged, roots?: string[]][] = [
      [at('shop/src/a.ts'), [true, 'src/a.ts']],
      ['src/a.ts', [true, 'src/a.ts']],
      [at('shop'), [true, '.']],
      [at('shop/new/folder/a.ts'), [true, 'new/folder/a.ts']],
      [at('shop/../shop-secrets/key'), outside],
      [at('shop-secrets/key'), outside],
      [at('shop/link/key'), outside],
      [at('shop/link/not-there-yet'), outside],
      [at('shop/dangling'), outside],
      ['../shop-secrets/key', outside],
      [at('shop/src/a.ts'), [true, 'src/a.ts'], [at('alias')]],
      ['/etc/passwd', [false, '/etc/passwd'], []],
      // Behind a link ".." means another folder than it seems to.
      [`${at('shop')}/deep/../key`, [false, at('shop-secrets/key')]],
      ['deep/../key', outside],
      ['deep/../new', outside],
      ['crooked', outside],
      ['src/../src/a.ts', [true, 'src/a.ts']],
      // A round of links leads nowhere, and neither does a name that no file can have.
      ['round/a', outside],
      ['src/a.ts\0', outside],
      ['~/.ssh/id_rsa', outside],
      [at('shop/src/a.ts'), [true, 'a.ts'], [at('shop'), at('shop/src')]],
    ]
    const text = JSON.stringify({
      hook_event_name: 'beforeReadFile',
      file_path: at('shop/link/key'),
      workspace_roots: shop,
      content: JSON.stringify(cases.map(([path, , roots = shop]) => [path, roots])),
    })
    const [own, ...others] = JSON.parse(
      JSON.parse((await start(paths, text)).stdout).user_message,
    ) as Judged[]
    expect(own).toEqual(outside)
    expect(others.map((judged, index) => [cases[index]![0], judged])).toEqual(
      cases.map(([path, judged]) => [path, judged]),
    )
  })

  it('arguments of an MCP call are an object, or the guard denies', async () => {
    const mcp = built(
      'mcp',
      `import { hook, deny, mcpInput } from '@holdfast/hooks/sdk'
      hook({ beforeMCPExecution: p => deny(String(mcpInput(p).sql)) })`,
    )
    const call = async (tool_input: unknown) => {
      const text = JSON.stringify({ hook_event_name: 'beforeMCPExecution', tool_name: 'q', tool_input })
      return JSON.parse((await start(mcp, text)).stdout) as Record<string, string>
    }
    expect((await call('{"sql":"drop"}')).user_message).toBe('drop')
    expect((await call({ sql: 'drop' })).user_message).toBe('drop')
    expect((await call('')).user_message).toBe('undefined')
    for (const wrong of ['not JSON', '[1]', [1]]) {
      expect(await call(wrong)).toMatchObject({
        permission: 'deny',
        user_message: expect.stringContaining('not a JSON object'),
      })
    }
  })
})
