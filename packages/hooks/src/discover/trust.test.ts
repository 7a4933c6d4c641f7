import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { rewrite } from '../lock.js'
import { isUnchanged } from './fingerprint.js'
import { cleanUp, codes, hooksOf, layerOf, type Sandbox, sandbox } from './testing/sandbox.js'
import { fileTrustStore, memoryTrustStore } from './trust.js'
import { mainFolderOf } from './worktree.js'

cleanUp()

const only = async (box: Sandbox) => {
  const [hook] = hooksOf(await box.discover({ trustAll: false }))
  if (!hook) throw new Error('no hook')
  return hook
}
const withScript = (script = 'one') => {
  const box = sandbox()
  box.hooks({ hooks: { stop: [{ command: './a.sh', timeout: 5 }] } })
  box.write('project/a.sh', script, 0o755)
  return box
}

describe('fingerprints', () => {
  test('formatting, comments and moving change nothing', async () => {
    const box = withScript()
    const { fingerprint } = await only(box)
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/)
    box.hooks(
      '// c\n{"hooks":{"preCompact":[],"stop":[\n\n  {"timeout":5.0,"command":"./a.sh","type":"command"}]},"version":1}',
    )
    expect((await only(box)).fingerprint).toBe(fingerprint)
  })

  test('the same project in another folder has the same', async () => {
    expect((await only(withScript())).fingerprint).toBe((await only(withScript())).fingerprint)
  })

  test.each([
    { command: './b.sh' },
    { timeout: 6 },
    { matcher: 'x' },
    { loop_limit: 4 },
    { loop_limit: null },
    { type: 'prompt', prompt: 'x' },
  ])('%j changes it', async change => {
    const box = withScript()
    const { fingerprint } = await only(box)
    box.hooks({ hooks: { stop: [{ command: './a.sh', timeout: 5, ...change }] } })
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test('the prompt and the model of a prompt hook count', async () => {
    const seen = new Set<string>()
    const box = sandbox()
    for (const prompt of ['one', 'two']) {
      for (const model of [undefined, 'small', 'large']) {
        box.hooks({ hooks: { stop: [{ type: 'prompt', prompt, model }] } })
        seen.add((await only(box)).fingerprint)
      }
    }
    expect(seen.size).toBe(6)
  })

  test('the place of a script counts, also when another has the same bytes', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 'cat ./a.sh ./b.sh' }] } })
    box.write('project/a.sh', 'one')
    const { fingerprint } = await only(box)
    rmSync(box.path('project/a.sh'))
    box.write('project/b.sh', 'one')
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test('failClosed and the event count', async () => {
    const seen = new Set<string>()
    for (const event of ['preToolUse', 'beforeShellExecution']) {
      for (const failClosed of [undefined, true, false]) {
        const box = withScript()
        box.hooks({ hooks: { [event]: [{ command: './a.sh', failClosed }] } })
        seen.add((await only(box)).fingerprint)
      }
    }
    expect(seen.size).toBe(6)
  })

  test('one byte of the script counts, and whether it is there', async () => {
    const box = withScript('one')
    const { fingerprint } = await only(box)
    box.write('project/a.sh', 'onE')
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
    box.write('project/a.sh', 'one')
    expect((await only(box)).fingerprint).toBe(fingerprint)
  })

  test.each([
    ['. lib/env', 'lib/env'],
    ['sh -c "$CURSOR_PROJECT_DIR/lib/env"', 'lib/env'],
    ['. $CURSOR_PROJECT_DIR/lib/env', 'lib/env'],
    ['. "$CLAUDE_PROJECT_DIR/lib/env"', 'lib/env'],
    ['. ${CURSOR_PROJECT_DIR}/lib/env', 'lib/env'],
    ['run --rules=$PWD/lib/rules', 'lib/rules'],
    ['G=lib/guard.conf; run $G', 'lib/guard.conf'],
    ['run --config=lib/guard.conf', 'lib/guard.conf'],
    ['cat lib/rules | run', 'lib/rules'],
    ['run guard.yaml', 'guard.yaml'],
    ['cat rules/*.yaml | run', 'rules/a.yaml'],
    ['cd tools && run', 'tools/run'],
    ['cd -P tools && run', 'tools/run'],
    ['cd tools && run lib/x', 'tools/lib/x'],
    ['PATH=tools:$PATH run', 'tools/run'],
    [`run ${Array.from({ length: 90 }, (_, index) => `lib/f${index}`).join(' ')}`, 'lib/f89'],
  ])('a file that the text of a command mentions counts: %s', async (command, file) => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command }] } })
    box.write(`project/${file}`, 'one')
    const { fingerprint } = await only(box)
    box.write(`project/${file}`, 'two')
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test.each([
    ['run > out/result', 'out/result'],
    ['run >> out/result', 'out/result'],
    ['run | tee out/result', 'out/result'],
    ['run | tee -a out/result', 'out/result'],
    ['run > $CURSOR_PROJECT_DIR/out/result', 'out/result'],
    ['run >> "${CURSOR_PROJECT_DIR}/out/result"', 'out/result'],
    ['run ../outside/x', '../outside/x'],
  ])('a file that a command only writes, and files elsewhere do not: %s', async (command, file) => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command }] } })
    box.write(`project/${file}`, 'one')
    const { fingerprint, scripts } = await only(box)
    expect(scripts.map(({ path }) => path)).not.toContain(box.path('project', file))
    box.write(`project/${file}`, 'two')
    expect((await only(box)).fingerprint).toBe(fingerprint)
  })

  test('where old versions run hooks, files that are meant from the root count', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 'run "$CURSOR_PROJECT_DIR"/lib/rules' }] } })
    box.write('project/lib/rules', 'one')
    const load = async () =>
      hooksOf(await box.discover({ trustAll: false, pathBase: 'file' }))[0]!.fingerprint
    const before = await load()
    box.write('project/lib/rules', 'two')
    expect(await load()).not.toBe(before)
  })

  test('a file that is named by its full path counts', async () => {
    const box = sandbox()
    const file = box.write('project/lib/env', 'one')
    box.hooks({ hooks: { stop: [{ command: `. ${file}` }] } })
    const { fingerprint } = await only(box)
    box.write('project/lib/env', 'two')
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test('an interpreter inside the project counts', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 'tools/node guard.js' }] } })
    box.write('project/tools/node', 'one', 0o755)
    const { fingerprint } = await only(box)
    box.write('project/tools/node', 'two', 0o755)
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test('a name that the interpreter completes is a gap', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 'node .cursor/guard' }, { command: 'node .cursor/guard.js' }] } })
    box.write('project/.cursor/guard.js', 'one')
    const gaps = hooksOf(await box.discover({ trustAll: false })).map(({ gap }) => gap)
    expect(gaps).toEqual(['There is no file .cursor/guard.', undefined])
  })

  test('scripts that go along count too', async () => {
    const box = withScript()
    box.hooks({ hooks: { stop: [{ command: './a.sh && node lib/b.js' }] } })
    box.write('project/lib/b.js', '1')
    const { fingerprint, scripts } = await only(box)
    expect(scripts.map(({ path }) => path)).toEqual([box.path('project/a.sh'), box.path('project/lib/b.js')])
    box.write('project/lib/b.js', '2')
    expect((await only(box)).fingerprint).not.toBe(fingerprint)
  })

  test('interpreters of the machine do not', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: `${process.execPath} -e 1` }, { command: 'node -e 1' }] } })
    expect(hooksOf(await box.discover()).map(hook => hook.scripts)).toEqual([[], []])
  })
})

describe('isUnchanged', () => {
  /** What the hook covers, once it is old enough to be known by its stamp. */
  const covered = async (box: Sandbox) => {
    for (;;) {
      const paths = (await only(box)).covered
      if (!paths.some(({ stamp }) => stamp.startsWith('young'))) return paths
      await new Promise(done => setTimeout(done, 5))
    }
  }

  test('notices other bytes, removal, late creation and new files beside a script', async () => {
    const box = withScript('one')
    const paths = await covered(box)
    expect(paths.every(isUnchanged)).toBe(true)
    box.write('project/a.sh', 'two')
    expect(paths.every(isUnchanged)).toBe(false)
    rmSync(box.path('project/a.sh'))
    const absent = await covered(box)
    expect(absent).toContainEqual({ path: box.path('project/a.sh'), stamp: 'absent' })
    expect(absent.every(isUnchanged)).toBe(true)
    box.write('project/a.sh', 'x')
    expect(absent.every(isUnchanged)).toBe(false)
    const before = await covered(box)
    box.write('project/.cursor/hooks/sibling.py', '')
    expect(before.every(isUnchanged)).toBe(false)
  })

  test('a file that changed a moment ago is read again', async () => {
    const box = withScript()
    const path = box.path('project/a.sh')
    for (let round = 0; ; round++) {
      writeFileSync(path, String(round))
      const stamp = (await only(box)).covered.find(one => one.path === path)?.stamp
      // A busy machine may take longer than a file stays young.
      if (stamp?.startsWith('young')) break
    }
  })

  test('touching it, or its mode, is enough', async () => {
    const box = withScript()
    const paths = await covered(box)
    chmodSync(box.path('project/a.sh'), 0o700)
    expect(paths.every(isUnchanged)).toBe(false)
  })
})

describe('a worktree', () => {
  const git = (folder: string, ...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...words], {
      stdio: 'ignore',
    })
  /** A repository whose hook is trusted, and a worktree of it. */
  const repository = async (command = '.cursor/a.sh') => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command }] } })
    box.write('project/.cursor/a.sh', 'one', 0o755)
    const worktree = box.path('worktree')
    git(box.root, 'init', '--quiet')
    git(box.root, 'add', '.')
    git(box.root, 'commit', '--quiet', '-m', 'x')
    git(box.root, 'worktree', 'add', '--quiet', worktree)
    const { trust } = box.options()
    await trust.add(box.root, [(await only(box)).fingerprint])
    const load = async (root = worktree) => layerOf(await box.discover({ trustAll: false, roots: [root] }))
    return { ...box, worktree, trust, load }
  }

  test('has the trust of its main worktree while its hooks have the same content', async () => {
    const { write, load, root, trust } = await repository()
    expect(await load()).toMatchObject({ hooks: [{ trusted: true, trustRoot: root }], issues: [] })
    const file = write('worktree/.cursor/a.sh', 'two')
    expect((await load()).hooks).toMatchObject([{ trusted: false }])
    expect((await load()).issues[0]?.message).toContain(`a worktree of ${root}`)
    writeFileSync(file, 'one')
    expect((await load()).hooks).toMatchObject([{ trusted: true }])
    await trust.remove(root)
    expect((await load()).hooks).toMatchObject([{ trusted: false }])
  })

  test('has no trust in hooks that are not fully covered', async () => {
    const { load, root } = await repository('npm run guard')
    expect((await load(root)).hooks).toMatchObject([{ trusted: true }])
    expect((await load()).hooks).toMatchObject([{ trusted: false }])
    expect((await load()).issues[0]?.message).toContain('not fully covered')
  })

  test('has the trust of the same folder if the workspace is not the top folder', async () => {
    const box = await repository()
    const inner = 'packages/a/.cursor/hooks.json'
    for (const root of ['project', 'worktree'])
      box.write(`${root}/${inner}`, { hooks: { stop: [{ command: 'exit 2' }] } })
    const [hook] = (await box.load(box.path('project/packages/a'))).hooks
    await box.trust.add(box.path('project/packages/a'), [hook!.fingerprint])
    expect((await box.load(box.path('worktree/packages/a'))).hooks).toMatchObject([{ trusted: true }])
  })

  test('that only claims to be one, and a clone, have no trust of another folder', async () => {
    const box = await repository()
    cpSync(box.worktree, box.path('copy'), { recursive: true })
    git(box.path(), 'clone', '--quiet', box.root, 'clone')
    for (const name of ['copy', 'clone'])
      expect((await box.load(box.path(name))).hooks).toMatchObject([{ trusted: false }])
    for (const text of [
      '',
      'gitdir: ',
      `gitdir: ${box.root}/.git`,
      `gitdir: ${box.root}/.git/worktrees/none`,
    ]) {
      writeFileSync(box.path('copy/.git'), text)
      expect((await box.load(box.path('copy'))).hooks).toMatchObject([{ trusted: false }])
    }
  })
})

test('a file in the place of a workspace, or of a parent of it, is not a worktree', async () => {
  const box = withScript()
  box.write('note', '')
  expect(mainFolderOf(box.path('note'))).toBeUndefined()
  expect(mainFolderOf(box.path('note/inside'))).toBeUndefined()
})

describe('trust', () => {
  test('untrusted project hooks do not run, and one warning reports them', async () => {
    const box = withScript()
    box.write('home/.cursor/hooks.json', { hooks: { stop: [{ command: 'true' }] } })
    box.write('machine/hooks.json', { hooks: { stop: [{ command: 'true' }] } })
    const first = await box.discover({ trustAll: false })
    expect(hooksOf(first).map(hook => [hook.source, hook.trusted])).toEqual([
      ['enterprise', true],
      ['project', false],
      ['user', true],
    ])
    expect(first.issues).toMatchObject([{ code: 'trust/untrusted', severity: 'warning', source: 'project' }])
    await box.options().trust.add(box.root, [layerOf(first).hooks[0]!.fingerprint])
    const second = await box.discover({ trustAll: false })
    expect(hooksOf(second).every(hook => hook.trusted)).toBe(true)
    expect(second.issues).toEqual([])
    box.write('project/a.sh', 'changed')
    expect(codes((await box.discover({ trustAll: false })).issues)).toEqual(['trust/untrusted'])
  })

  test('one warning for many', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 'a' }, { command: 'b' }, { command: 'c' }] } })
    const first = await box.discover({ trustAll: false })
    expect(first.issues.map(issue => issue.message)).toEqual([
      'The 3 hooks of this file have not been trusted, so they do not run.',
    ])
    await box.options().trust.add(box.root, [hooksOf(first)[0]!.fingerprint])
    expect((await box.discover({ trustAll: false })).issues[0]?.message).toContain('2 of the 3 hooks')
  })

  test('a store that fails, or returns anything but true, grants nothing', async () => {
    const box = withScript()
    const { trust } = box.options()
    const has = [
      () => {
        throw new Error('x')
      },
      () => Promise.reject(new Error('x')),
      () => 'yes' as unknown as boolean,
    ]
    for (const answer of has) {
      const catalog = await box.discover({ trustAll: false, trust: { ...trust, has: answer } })
      expect(hooksOf(catalog)[0]?.trusted).toBe(false)
    }
  })
})

describe.each(['memory', 'file'])('the %s store', kind => {
  const open = (box: Sandbox) =>
    kind === 'memory' ? memoryTrustStore() : fileTrustStore(box.path('trust/trusted.json'))

  test('adds, removes, and keeps roots apart', async () => {
    const box = sandbox()
    const store = open(box)
    expect(await store.has(box.root, 'a')).toBe(false)
    await store.add(box.root, ['a', 'b'])
    expect(await store.has(box.root, 'a')).toBe(true)
    expect(await store.has(box.home, 'a')).toBe(false)
    await store.remove(box.root, ['a'])
    expect([await store.has(box.root, 'a'), await store.has(box.root, 'b')]).toEqual([false, true])
    await store.remove(box.root)
    expect(await store.has(box.root, 'b')).toBe(false)
  })

  test('takes away the named fingerprints only, and all of a root without names', async () => {
    const box = sandbox()
    const store = open(box)
    const trusted = () => Promise.all(['a', 'b', 'c'].map(each => store.has(box.root, each)))
    await store.add(box.root, ['a', 'b', 'c'])
    await store.remove(box.root, [])
    expect(await trusted()).toEqual([true, true, true])
    await store.remove(box.root, ['a', 'x'])
    expect(await trusted()).toEqual([false, true, true])
    await store.remove(box.path('elsewhere'))
    expect(await trusted()).toEqual([false, true, true])
    await store.remove(box.root)
    expect(await trusted()).toEqual([false, false, false])
  })

  test('knows a folder under another name', async () => {
    const box = sandbox()
    const store = open(box)
    symlinkSync('project', box.path('link'))
    await store.add(box.path('link'), ['a'])
    expect(await store.has(box.root, 'a')).toBe(true)
  })
})

describe('a store that was used before', () => {
  // The engine's clock does not move, as between two calls on a fast machine.
  beforeEach(() => {
    vi.spyOn(process, 'uptime').mockReturnValue(0)
  })
  afterEach(() => vi.restoreAllMocks())

  test('follows a link that leads to another folder', async () => {
    const box = sandbox()
    const store = fileTrustStore(box.path('trusted.json'))
    await store.add(box.root, ['a'])
    const link = box.path('link')
    symlinkSync('project', link)
    expect(await store.has(link, 'a')).toBe(true)
    rmSync(link)
    symlinkSync('home', link)
    expect(await store.has(link, 'a')).toBe(false)
  })

  test('uses what another store added and removed', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    const [one, two] = [fileTrustStore(file), fileTrustStore(file)]
    expect(await one.has(box.root, 'a')).toBe(false)
    for (const isTrusted of [true, false, true]) {
      await (isTrusted ? two.add(box.root, ['a']) : two.remove(box.root, ['a']))
      expect(await one.has(box.root, 'a')).toBe(isTrusted)
    }
  })

  test('trusts nothing once its file is gone', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    const store = fileTrustStore(file)
    await store.add(box.root, ['a'])
    expect(await store.has(box.root, 'a')).toBe(true)
    rmSync(file)
    expect(await store.has(box.root, 'a')).toBe(false)
  })

  test('sees at once what it changed itself', async () => {
    const box = sandbox()
    const store = fileTrustStore(box.path('trusted.json'))
    for (const isTrusted of [true, false, true]) {
      await (isTrusted ? store.add(box.root, ['a']) : store.remove(box.root))
      expect(await store.has(box.root, 'a')).toBe(isTrusted)
    }
  })
})

describe('the file', () => {
  test('is private, and in a private folder', async () => {
    const box = sandbox()
    const file = box.path('new/deep/trusted.json')
    await fileTrustStore(file).add(box.root, ['a'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(box.path('new/deep')).mode & 0o777).toBe(0o700)
    expect(readdirSync(box.path('new/deep'))).toEqual(['trusted.json'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, roots: { [box.root]: ['a'] } })
  })

  test('is seen by another store at once', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    const [one, two] = [fileTrustStore(file), fileTrustStore(file)]
    await one.add(box.root, ['a'])
    expect(await two.has(box.root, 'a')).toBe(true)
  })

  test.each(['', '{', 'null', '[]', '{"roots":[]}', '{"roots":{"/x":3}}', '\u0000\u0001'])(
    'garbage %j is nothing, and kept aside',
    async garbage => {
      const box = sandbox()
      const file = box.write('trusted.json', garbage)
      const store = fileTrustStore(file)
      expect(await store.has(box.root, 'a')).toBe(false)
      await store.add(box.root, ['a'])
      expect(await store.has(box.root, 'a')).toBe(true)
      expect(readFileSync(`${file}.broken`, 'utf8')).toBe(garbage)
    },
  )

  test('a file that is too large trusts nothing and is not replaced', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    const store = fileTrustStore(file)
    await store.add(box.root, ['a'])
    truncateSync(file, 16 * 1024 * 1024 + 1)
    expect(await store.has(box.root, 'a')).toBe(false)
    await expect(store.add(box.root, ['b'])).rejects.toThrow('larger than 16 MiB')
    expect(statSync(file).size).toBe(16 * 1024 * 1024 + 1)
  })

  test('a folder in its place trusts nothing', async () => {
    const box = sandbox()
    mkdirSync(box.path('trusted.json'))
    const store = fileTrustStore(box.path('trusted.json'))
    expect(await store.has(box.root, 'a')).toBe(false)
    await expect(store.add(box.root, ['a'])).rejects.toThrow('it is a folder')
  })

  test('many at once in one process lose nothing', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    await Promise.all(Array.from({ length: 20 }, (_, i) => fileTrustStore(file).add(box.root, [`f${i}`])))
    expect(JSON.parse(readFileSync(file, 'utf8')).roots[box.root]).toHaveLength(20)
  })

  test('two processes at once lose nothing', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    const program = box.path('adder.mjs')
    await build({
      stdin: {
        contents: `import { fileTrustStore } from './trust.js'
          const [file, root, name] = process.argv.slice(2)
          for (let i = 0; i < 20; i++) await fileTrustStore(file).add(root, [name + i])`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'silent',
    })
    const run = async (name: string) => {
      const child = spawn(process.execPath, [program, file, box.root, name], { stdio: 'ignore' })
      expect(await once(child, 'exit')).toEqual([0, null])
    }
    await Promise.all([run('a'), run('b'), run('c')])
    expect(JSON.parse(readFileSync(file, 'utf8')).roots[box.root]).toHaveLength(60)
  })

  test('a writer whose lock another process took over removes and replaces nothing', async () => {
    const box = sandbox()
    const file = box.path('shared.json')
    const writing = rewrite(file, () => {
      writeFileSync(`${file}.lock`, 'of another process')
      return '{}'
    })
    await expect(writing).rejects.toThrow('taken over')
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('of another process')
  })

  test('a lock that another process left behind is removed', async () => {
    const box = sandbox()
    const file = box.path('trusted.json')
    writeFileSync(`${file}.lock`, '')
    utimesSync(`${file}.lock`, 1, 1)
    await fileTrustStore(file).add(box.root, ['a'])
    expect(readdirSync(box.path()).filter(name => name.startsWith('trusted'))).toEqual(['trusted.json'])
  })
})
