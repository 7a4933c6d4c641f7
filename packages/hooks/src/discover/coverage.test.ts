// Which commands trust covers completely, and which files it covers otherwise.

import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { describe, expect, test } from 'vitest'
import { coverageOf } from './coverage.js'
import type { DiscoverOptions } from './discover.js'
import { cleanUp, codes, layerOf, sandbox } from './testing/sandbox.js'
import { memoryTrustStore } from './trust.js'

cleanUp()

const gapOf = (command: string) => coverageOf(command, { CURSOR_PROJECT_DIR: '/project' }, 'linux').gap

describe('a command is fully covered', () => {
  test.each([
    './guard.sh',
    '.cursor/hooks/guard.sh --strict',
    '"$CURSOR_PROJECT_DIR"/.cursor/hooks/guard.sh',
    '${CURSOR_PROJECT_DIR}/guard.sh',
    "'./my hooks/guard.sh'",
    'node guard.js',
    'node --enable-source-maps .cursor/guard.mjs',
    'node ./tool',
    'python3 -I -S .cursor/hooks/guard.py',
    'python3.12 guard.py',
    '/usr/bin/env python3 guard.py',
    'bash -e guard.sh',
    'bash -c ./guard.sh',
    'FORCE=1 ./guard.sh',
    './guard.sh 2>/dev/null || true',
    './a.sh && ./b.sh; exit 0',
    './guard.sh | jq .permission',
    'holdfast guard shell',
    'test -x .cursor/guard.sh && .cursor/guard.sh',
    'exit 2',
    '/usr/local/bin/guard',
  ])('%s', command => expect(gapOf(command)).toBeUndefined())
})

describe('a command is not fully covered', () => {
  test.each([
    ['python3 -m guard', 'python3 -m'],
    ['python3 -c "import guard"', 'python3 -c'],
    ['node -r ./preload.js guard.js', 'node -r'],
    ['node --import=./preload.js guard.js', 'node --import'],
    ['npm run guard', 'npm'],
    ['npx guard', 'npx'],
    ['pnpm guard', 'pnpm'],
    ['just guard', 'just'],
    ['make guard', 'make'],
    ['uv run guard.py', 'uv'],
    ['go run ./tools/guard', 'go'],
    ['deno task guard', 'deno may'],
    ['bun run guard', 'bun may'],
    ['bun run ./guard.ts', 'bun may'],
    ['cat x.txt | sh', 'standard input'],
    ['bash -s', 'bash -s'],
    ['sh -', 'standard input'],
    ['. ./env.txt', 'may run files'],
    ['source env.txt', 'may run files'],
    ['eval "$(cat x)"', 'shell syntax'],
    ['$(cat x)', 'shell syntax'],
    ['sh < x', 'shell syntax'],
    ['./guard* --all', 'shell syntax'],
    ['cd tools && ./guard.sh', 'cd may'],
    ['PATH=./bin:/bin guard', 'PATH'],
    ['NODE_OPTIONS=--require=./x node guard.js', 'NODE_OPTIONS'],
    ['env PYTHONPATH=. python3 guard.py', 'PYTHONPATH'],
    ['bash -c "python3 -m guard"', 'python3 -m'],
    ["PS4='$(./x)' bash -x ./guard.sh", 'PS4'],
    ['PS4=x ./guard.sh', 'PS4'],
    ['BASH_ENV=x bash guard.sh', 'BASH_ENV'],
    ['ENV=x sh guard.sh', 'ENV'],
    ['LD_PRELOAD=x.so ./guard', 'LD_PRELOAD'],
    ['GIT_DIR=x ./guard', 'GIT_DIR'],
    ['OPENSSL_CONF=x node guard.mjs', 'OPENSSL_CONF'],
    ['RULES=./rules.sh ./guard.sh', 'RULES'],
    ["X='$(./x)' ./guard.sh", 'sets X'],
    ['sort --compress-program=./x f', 'sort may'],
    ["printf -v 'a[$(./x)]' y", 'printf -v'],
    ['printf -v PATH ./bin; cat', 'printf -v'],
    ["test -v 'a[$(./x)]'", 'test -v'],
    ["test -R 'a[$(./x)]'", 'test -R'],
    ['holdfast test ./x.test.ts', 'holdfast may'],
    ['./guard.sh & ./other.sh', 'shell syntax'],
  ])('%s', (command, reason) => expect(gapOf(command)).toContain(reason))
})

describe('a script is not fully covered', () => {
  const gapIn = async (command: string, files: Record<string, string>) => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command }] } })
    for (const [name, content] of Object.entries(files)) box.write(`project/${name}`, content, 0o755)
    return layerOf(await box.discover({ trustAll: false })).hooks[0]?.gap
  }
  const SIBLING = 'may load files from its folder'

  test.each([
    ['python3 tools/guard.py', 'tools/guard.py', '', SIBLING],
    ['node tools/guard.mjs', 'tools/guard.mjs', '', SIBLING],
    ['bash tools/guard.sh', 'tools/guard.sh', '', SIBLING],
    ['tools/guard.sh', 'tools/guard.sh', '#!/bin/sh', SIBLING],
    ['./guard.sh', 'guard.sh', '#!/bin/sh', SIBLING],
    ['.venv/bin/python .cursor/x.py', '.venv/bin/python', '', SIBLING],
    ['.cursor/x', '.cursor/x', '#!tools/run', 'tools/run'],
    ['.cursor/x', '.cursor/x', '#!./run -x', './run'],
    ['.cursor/x', '.cursor/x', '#!/usr/bin/env -S python3 -m guard', 'python3 -m'],
    ['.cursor/x', '.cursor/x', '#!/usr/bin/env -S NODE_OPTIONS=x node', 'NODE_OPTIONS'],
    ['.cursor/x', '.cursor/x', '#!/usr/bin/make -f', '/usr/bin/make'],
    ['.cursor/x', '.cursor/x', '#!.cursor/x', '.cursor/x'],
  ])('%s with %s that begins with "%3$s"', async (command, name, content, reason) =>
    expect(
      await gapIn(command, {
        [name]: content,
        '.cursor/x.py': '',
        ...(name === '.cursor/x' ? { [name]: content } : {}),
      }),
    ).toContain(reason),
  )

  test.each([
    ['.cursor/x', '#!/bin/sh\n'],
    ['.cursor/x', '#!/usr/bin/env python3\r\n'],
    ['.cursor/x', '#! /usr/bin/env -S node --no-warnings\n'],
    ['.cursor/x', 'echo {}\n'],
    ['bash .cursor/x', '#!tools/run\n'],
    ['node .cursor/x', ''],
  ])('unlike %s that begins with %j', async (command, content) =>
    expect(await gapIn(command, { '.cursor/x': content })).toBeUndefined(),
  )
})

const project = (...commands: string[]) => {
  const box = sandbox()
  box.hooks({ hooks: { stop: commands.map(command => ({ command })) } })
  const trust = memoryTrustStore()
  const options: Partial<DiscoverOptions> = { trustAll: false, trust }
  const load = async () => layerOf(await box.discover(options))
  const trustAll = async () => {
    await trust.add(
      box.root,
      (await load()).hooks.map(({ fingerprint }) => fingerprint),
    )
  }
  const trusted = async () => (await load()).hooks.map(hook => hook.trusted)
  return { ...box, load, trustAll, trusted }
}

describe('trust ends when', () => {
  test.each([
    ['python3 -m guard', 'project/.cursor/lib/guard.py'],
    ['.cursor/hooks/a.sh', 'project/.cursor/hooks/sibling.sh'],
    ['node ./tool', 'project/tool/package.json'],
    ['node ./tool', 'project/tool/lib/deep/index.js'],
    ['go run ./tools/guard', 'project/tools/guard/main.go'],
    ['cat x.txt | sh', 'project/x.txt'],
    ['. e.txt', 'project/e.txt'],
    ['bash guard', 'project/guard'],
    ['bash --rcfile=lib/rc -c true', 'project/lib/rc'],
    ['. ${CURSOR_PROJECT_DIR}/lib/env', 'project/lib/env'],
  ])('"%s" and %s appears or changes', async (command, file) => {
    const box = project(command)
    await box.trustAll()
    expect(await box.trusted()).toEqual([true])
    const path = box.write(file, 'one')
    expect(await box.trusted()).toEqual([false])
    await box.trustAll()
    writeFileSync(path, 'two')
    expect(await box.trusted()).toEqual([false])
    writeFileSync(path, 'one')
    expect(await box.trusted()).toEqual([true])
  })

  test.each([
    ['.cursor/hooks/a.js', '{"type":"module"}'],
    ['node .cursor/hooks/a.js', '{"type":"commonjs"}'],
    ['.cursor/hooks/a.js', '{"type":'],
  ])('"%s" and package.json above it becomes %s', async (command, broken) => {
    const box = project(command)
    box.write('project/.cursor/hooks/a.js', '#!/usr/bin/env node\nrequire("node:fs")', 0o755)
    await box.trustAll()
    box.write('project/package.json', '{"version":"1.0.0"}')
    expect(await box.trusted()).toEqual([true])
    box.write('project/package.json', broken)
    expect(await box.trusted()).toEqual([false])
    box.write('project/package.json', '{"version":"1.0.1"}')
    expect(await box.trusted()).toEqual([true])
  })

  test('a large script is edited in place and its times are restored', async () => {
    const box = project('./large.sh')
    const path = box.write('project/large.sh', '')
    const fd = openSync(path, 'r+')
    ftruncateSync(fd, 9 * 1024 * 1024)
    const { atime, mtime } = statSync(path)
    await box.trustAll()
    writeSync(fd, 'rm -rf /', 4096)
    closeSync(fd)
    utimesSync(path, atime, mtime)
    expect(await box.trusted()).toEqual([false])
  })

  test('a link leads to another file, or its file changes', async () => {
    const box = project('.cursor/hooks/run')
    box.write('project/lib/a.sh', 'a')
    box.write('project/lib/b.sh', 'a')
    box.write('project/.cursor/hooks/note', '')
    const link = box.path('project/.cursor/hooks/run')
    symlinkSync('../../lib/a.sh', link)
    await box.trustAll()
    rmSync(link)
    symlinkSync('../../lib/b.sh', link)
    expect(await box.trusted()).toEqual([false])
    await box.trustAll()
    appendFileSync(box.path('project/lib/b.sh'), 'more')
    expect(await box.trusted()).toEqual([false])
  })

  test('not when another command names the file, or hooks.json is laid out differently', async () => {
    const box = project('./a.sh', './b.sh')
    box.write('project/a.sh', 'a')
    box.write('project/b.sh', 'b')
    await box.trustAll()
    writeFileSync(box.path('project/b.sh'), 'c')
    expect(await box.trusted()).toEqual([true, false])
    const config = readFileSync(box.path('project/.cursor/hooks.json'), 'utf8')
    writeFileSync(box.path('project/.cursor/hooks.json'), JSON.stringify(JSON.parse(config)))
    expect(await box.trusted()).toEqual([true, false])
  })
})

describe('a program that PATH may take from the workspace is not covered', () => {
  test.each([
    ['before the folder of the machine', (root: string) => `${root}/bin:/usr/bin:/bin`, true],
    ['by a link', (root: string) => `${root}/../link/bin:/usr/bin:/bin`, true],
    ['as a relative folder', () => 'node_modules/.bin:/usr/bin:/bin', true],
    ['as an empty entry', () => ':/usr/bin:/bin', true],
    ['behind the folder of the machine', (root: string) => `/usr/bin:/bin:${root}/bin`, false],
    ['nowhere', () => '/usr/bin:/bin', false],
  ])('%s', async (_, pathOf, hasGap) => {
    const box = sandbox()
    mkdirSync(box.path('project/bin'))
    symlinkSync(box.root, box.path('link'))
    box.hooks({ version: 1, hooks: { stop: [{ command: 'env sh .cursor/hooks/a.sh' }] } })
    box.write('project/.cursor/hooks/a.sh', '')
    const { hooks } = layerOf(await box.discover({ trustAll: false, env: { PATH: pathOf(box.root) } }))
    if (hasGap) expect(hooks[0]!.gap).toContain('because PATH contains')
    else expect(hooks[0]!.gap).toBeUndefined()
  })

  test('but a word of the shell itself is', async () => {
    const box = sandbox()
    box.hooks({ version: 1, hooks: { stop: [{ command: 'echo a && exit 2' }] } })
    const { hooks } = layerOf(await box.discover({ trustAll: false, env: { PATH: '.' } }))
    expect(hooks[0]!.gap).toBeUndefined()
  })
})

// Each case changes a file that the command runs. The hook must lose its trust, or be labelled as not fully covered.
describe('no change of a file that runs goes unnoticed', () => {
  test.each([
    ['a word with a comma behind &&', 'true && ./a,b.sh', 'a,b.sh', {}],
    ['an argument of a script called tee', './tee run', 'run', { tee: '' }],
    ['an argument of an option', 'bash -o errexit run', 'run', {}],
    ['a variable in single quotes', "sh '$PWD/run.sh'", '$PWD/run.sh', {}],
    ['a line break in a name', "sh 'a\nb'", 'a\nb', {}],
    ['a module after an attached option', 'python3 -mguard decoy.py', 'guard.py', { 'decoy.py': '' }],
    ['code in combined options', "sh -ce '. e'", 'e', { '. e': '' }],
    ['a file beside a folder of the same name', 'node ./tool', 'tool.js', { 'tool/index.js': '' }],
    ['a module that shadows another', 'python3 tools/guard.py', 'tools/json.py', { 'tools/guard.py': '' }],
    ['settings of the program', 'bun ./guard.ts', 'bunfig.toml', { 'guard.ts': '' }],
    ['a program of the machine by its path', '/usr/bin/make', 'Makefile', {}],
    ['a path through the process', 'sh /proc/self/cwd/run.sh', 'run.sh', {}],
    ['a module of jq', `jq 'include "a"; .'`, 'a.jq', {}],
    ['a module of a program of jq', 'jq -rf a.jq', 'm.jq', { 'a.jq': 'include "m" {search: "./"}; .' }],
    ['another home folder', 'HOME=lib jq .', 'lib/.jq', {}],
    ['a variable that the command sets', 'PWD=lib; $PWD/run', 'lib/run', {}],
    ['a package', './node_modules/.bin/x', 'node_modules/x/main.js', { 'node_modules/.bin/x': '' }],
    ['a folder change', 'cd tools && ./run', 'tools/run', {}],
    ['an input file', 'sh < run.txt', 'run.txt', {}],
    ['an environment', 'env A=b ./run', 'run', {}],
    ['the options of env', "env -S './run a'", 'run', {}],
    ['code in quotes', 'bash -c "./run && true"', 'run', {}],
    ['a pattern', 'sh lib/*.sh', 'lib/a.sh', {}],
    ['an absolute path', '$CURSOR_PROJECT_DIR/run', 'run', {}],
    ['a path that leaves and returns', './a/../run', 'run', { 'a/x': '' }],
    ['a file that is written and run', './gen > run.sh; sh run.sh', 'run.sh', { gen: '' }],
    ['the configuration file itself', 'sh .cursor/hooks.json', '.cursor/hooks.json', {}],
  ])('%s: %s', async (_, command, file, others) => {
    const box = project(command)
    const path = `project/${file}`
    for (const [name, content] of Object.entries(others)) box.write(`project/${name}`, content)
    if (file !== '.cursor/hooks.json') box.write(path, 'one')
    await box.trustAll()
    const [before] = (await box.load()).hooks
    appendFileSync(box.path(path), '\n// two')
    const [after] = (await box.load()).hooks
    expect([before!.trusted, after!.gap !== undefined || !after!.trusted]).toEqual([true, true])
  })

  test('a file behind a link and its parent folder', async () => {
    const box = project('./link/../run')
    for (const folder of ['', 'elsewhere/']) box.write(`project/${folder}run`, 'one')
    mkdirSync(box.path('project/elsewhere/inner'))
    symlinkSync('elsewhere/inner', box.path('project/link'))
    expect((await box.load()).hooks[0]?.gap).toContain('depends on links')
  })

  test('a link to an interpreter', async () => {
    const box = project('./py -m guard')
    symlinkSync(process.execPath, box.path('project/py'))
    expect((await box.load()).hooks[0]?.gap).toContain('outside the workspace')
  })

  test('a workspace that was given as a link', async () => {
    const box = project('x')
    const link = box.path('link')
    symlinkSync(box.root, link)
    box.hooks({ hooks: { stop: [{ command: `${box.root}/.cursor/run` }] } })
    const load = async () => layerOf(await box.discover({ trustAll: false, roots: [link] })).hooks[0]!
    box.write('project/.cursor/run', 'one')
    const before = await load()
    box.write('project/.cursor/run', 'two')
    const after = await load()
    expect(before.gap).toBeUndefined()
    expect(after.fingerprint).not.toBe(before.fingerprint)
  })
})

test('a command that is too long to examine is not fully covered', () =>
  expect(gapOf(`./guard.sh ${'a'.repeat(20_000)}`)).toContain('longer'))

describe('a source that is too large is untrusted', () => {
  const expectRefused = async (box: ReturnType<typeof project>, reason: string) => {
    const { hooks, issues } = await box.load()
    expect(hooks.map(({ trusted, fingerprint }) => [trusted, fingerprint])).toEqual(
      hooks.map(() => [false, '']),
    )
    expect(codes(issues)).toContain('trust/not-coverable')
    expect(issues.find(({ code }) => code === 'trust/not-coverable')?.message).toContain(reason)
  }

  test('with more than 2,000 files, but the root of the project does not count', async () => {
    const box = project('./lint.sh .', 'ls ./ ..')
    for (let i = 0; i <= 2000; i++) box.write(`project/src/${i % 10}/${i}`, '')
    await box.trustAll()
    expect(await box.trusted()).toEqual([true, true])
    box.hooks({ hooks: { stop: [{ command: './a.sh' }, { command: 'ls src' }] } })
    await expectRefused(box, 'more than 2000 files')
  })

  test('with more than 64 MiB, without reading them', async () => {
    const box = project('cat d0 d1 d2')
    for (const name of ['d0', 'd1', 'd2']) {
      const fd = openSync(box.write(`project/${name}/large`, ''), 'r+')
      ftruncateSync(fd, 30 * 1024 * 1024)
      closeSync(fd)
    }
    await expectRefused(box, '64 MiB')
  })

  test('but a loop of links ends', async () => {
    const box = project('./a.sh')
    mkdirSync(box.path('project/.cursor/deep'), { recursive: true })
    symlinkSync('..', box.path('project/.cursor/deep/up'))
    await box.trustAll()
    expect(await box.trusted()).toEqual([true])
  })
})

test('hashing gives way to the event loop', async () => {
  const box = project('cat big')
  const fd = openSync(box.write('project/big', ''), 'r+')
  ftruncateSync(fd, 60 * 1024 * 1024)
  closeSync(fd)
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await box.load()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})

test('a hook that is not fully covered has a reason, and does not run if the host insists', async () => {
  const box = project('npm run guard', '.cursor/a.sh')
  await box.trustAll()
  expect((await box.load()).hooks.map(({ gap }) => gap !== undefined)).toEqual([true, false])
  const strict = layerOf(await box.discover({ ...box.options(), trustAll: true, fullCoverage: true }))
  expect(strict.hooks.map(({ trusted }) => trusted)).toEqual([false, true])
})

test.each([
  ['./tools/guard2>&1', './tools/guard2'],
  ['sh tools/guard1>&1', 'tools/guard1'],
  ['./guard2>/dev/null', './guard2'],
  ['./guard 2>&1', './guard'],
])('covers the program of %s, whose name may end with a digit', (command, program) => {
  const { words, gap } = coverageOf(command, {}, 'linux')
  expect([...words]).toContain(program)
  expect(gap).toBeUndefined()
})
