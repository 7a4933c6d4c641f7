import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { needsOf } from './needs.js'

const needs = (command: string) =>
  needsOf(command, {
    platform: 'linux',
    home: '/home/me',
    cwd: '/project',
    variables: {
      CURSOR_PROJECT_DIR: '/project',
      CLAUDE_PROJECT_DIR: '/project',
      CURSOR_PLUGIN_ROOT: '/plug',
    },
  })
const files = (command: string) =>
  needs(command).filter(({ role }) => /program|interpreter|script/.test(role))
const brief = (command: string) =>
  files(command).map(({ path, role, certain }) => `${certain ? '' : '?'}${role} ${path}`)
const all = (command: string) =>
  needs(command).map(({ word, role, certain }) => `${certain ? '' : '?'}${role} ${word}`)

describe('the files that a command needs', () => {
  test.each([
    ['./guard.sh', ['program /project/guard.sh']],
    ['.cursor/hooks/guard --x', ['program /project/.cursor/hooks/guard']],
    ['/opt/guard', ['program /opt/guard']],
    ['"./my guard.sh" x', ['program /project/my guard.sh']],
    ['~/guard.sh', ['program /home/me/guard.sh']],
    ['$HOME/guard.sh', ['program /home/me/guard.sh']],
    ['"${CURSOR_PROJECT_DIR}/guard.sh"', ['program /project/guard.sh']],
    ['$CLAUDE_PROJECT_DIR/guard.sh', ['program /project/guard.sh']],
    ['${CURSOR_PLUGIN_ROOT}/guard.sh', ['program /plug/guard.sh']],
    ['FOO=1 BAR=2 ./guard.sh', ['program /project/guard.sh']],
    ['exec ./guard.sh', ['program /project/guard.sh']],
    ['timeout 10 ./guard.sh', ['program /project/guard.sh']],
  ])('%s', (command, expected) => {
    expect(brief(command)).toEqual(expected)
  })

  test.each([
    'node guard.js',
    'node --no-warnings guard.js',
    'node --import tsx guard.js',
    'nodejs guard.js',
    'ts-node guard.js',
    'node -r ./x guard.js',
    'node --require ./x guard.js',
    'node --env-file .env guard.js',
    'bun guard.js',
    'bun run guard.js',
    'deno run --allow-read guard.js',
    'tsx guard.js',
    'npx tsx guard.js',
    'npx -y tsx guard.js',
    'pnpm exec tsx guard.js',
    'python3 -I guard.js',
    'python -X utf8 guard.js',
    'python3.12 guard.js',
    'uv run python guard.js',
    'poetry run python guard.js',
    'bunx tsx guard.js',
    'pnpm dlx tsx guard.js',
    'yarn exec tsx guard.js',
    'yarn dlx tsx guard.js',
    'yarn run tsx guard.js',
    'npm exec tsx guard.js',
    'npm x tsx guard.js',
    'nohup node guard.js',
    'time node guard.js',
    'command node guard.js',
    'exec node guard.js',
    'timeout 5 node guard.js',
    'dash guard.js',
    'ksh guard.js',
    'bash -o pipefail guard.js',
    'ruby -r json guard.js',
    'perl -I lib guard.js',
    'php -d a=b guard.js',
    'node.exe guard.js',
    'pwsh -ExecutionPolicy Bypass guard.js',
    'bash -e guard.js',
    'sh guard.js',
    'zsh guard.js',
    'ruby guard.js',
    'perl -w guard.js',
    'php guard.js',
    'pwsh -NoProfile -File guard.js',
    'powershell -NoProfile -ExecutionPolicy Bypass -File guard.js',
    'env node guard.js',
    'env -S FOO=1 node guard.js',
    'FOO=1 node guard.js',
    'bash -c "node guard.js"',
    `sh -lc 'node guard.js || true'`,
    'cd /project && node guard.js',
    'cd "$CURSOR_PROJECT_DIR"; node guard.js',
  ])('%s', command => {
    expect(brief(command)).toEqual(['script /project/guard.js'])
  })

  test.each([
    'pnpm fix',
    'promptconduit hook',
    'echo hello >> log.sh',
    'node -e "console.log(1)"',
    'python3 -m guard',
    'bun run build',
    'npx prettier --write .',
    'jq .',
    '$UNKNOWN/guard.sh',
    'node $UNKNOWN/guard.js',
    '$(git rev-parse --show-toplevel)/guard.sh',
    'cat',
    'cd $UNKNOWN && ./guard.sh',
    'bash -c "$X"',
    '',
    '   ',
    '# ./guard.sh',
  ])('no file in %s', command => {
    expect(files(command)).toEqual([])
  })

  test('shells inside shells are looked into, six deep', () => {
    const inside = (depth: number): string =>
      depth === 0 ? './a.sh' : `sh -c ${JSON.stringify(inside(depth - 1))}`
    for (const depth of [1, 2, 3, 6]) expect(brief(inside(depth))).toEqual(['program /project/a.sh'])
    expect(brief(inside(7))).toEqual([])
  })

  test('what may not run is not certain', () => {
    expect(brief('[ -x ./a.sh ] && ./b.sh')).toEqual(['?program /project/b.sh'])
    expect(brief('./a.sh || ./b.sh')).toEqual(['program /project/a.sh', '?program /project/b.sh'])
    expect(brief('if ./a.sh; then ./b.sh; fi')).toEqual(['?program /project/a.sh', '?program /project/b.sh'])
    expect(brief('cat | node a.js')).toEqual(['?script /project/a.js'])
    expect(brief('. ./env.sh && ./guard.sh')).toEqual(['?program /project/guard.sh'])
  })

  test('a launcher by its path is a file, too', () => {
    expect(brief('node_modules/.bin/tsx guard.ts')).toEqual([
      'interpreter /project/node_modules/.bin/tsx',
      'script /project/guard.ts',
    ])
  })

  test.each([
    ['C:\\Users\\ann\\a.cmd x', ['program /project/C:/Users/ann/a.cmd']],
    ['powershell -File .\\scripts\\a.ps1', ['script /project/scripts/a.ps1']],
    ['a\\ b/c.sh', ['program /project/a b/c.sh']],
  ])('backslashes of %s', (command, expected) => {
    expect(brief(command)).toEqual(expected)
  })

  test('cd moves the folder', () => {
    expect(brief('cd .cursor && ./guard.sh')).toEqual(['program /project/.cursor/guard.sh'])
  })

  test('endings that node adds', () => {
    expect(files('node ./guard')[0]?.endings).toContain('.js')
  })

  test('any command is looked through', () => {
    const word = fc.constantFrom(
      'node',
      'bash',
      '-c',
      'env',
      'cd',
      'a.sh',
      './b',
      '&&',
      '|',
      '"x',
      "'",
      '$(',
      '-e',
      'if',
    )
    fc.assert(fc.property(fc.array(word), words => Array.isArray(needs(words.join(' ')))))
  })
})

describe('launchers', () => {
  test.each([
    ['uv run hook.py', ['name uv', 'script hook.py']],
    ['uv run ./hook.py --x', ['name uv', 'script ./hook.py']],
    ['uv run --with rich --python 3.12 hook.py', ['name uv', 'script hook.py']],
    ['uv run --script hook.py', ['name uv', 'script hook.py']],
    ['uv run -m guard', ['name uv']],
    ['uv run pytest', ['name uv']],
    ['uv run ./hook.sh', ['name uv', 'program ./hook.sh']],
    ['uv run --directory tools hook.py', ['name uv']],
    ['uv pip install x', ['name uv']],
    ['uvx ruff check a.py', ['name uvx', 'package ruff']],
    ['poetry run python hook.py', ['name poetry', 'script hook.py']],
    ['poetry run guard', ['name poetry']],
    ['python3 -m guard', ['name python3']],
    ['npm run lint', ['name npm', 'task lint']],
    ['npm run lint -- --fix', ['name npm', 'task lint']],
    ['npm --silent run lint', ['name npm', 'task lint']],
    ['npm test', ['name npm', 'task test']],
    ['npm run lint --prefix web', ['name npm']],
    ['npm run lint -- --prefix web', ['name npm', 'task lint']],
    ['npm --prefix web run lint', ['name npm']],
    ['npm run -w web lint', ['name npm']],
    ['npm run --if-present lint', ['name npm']],
    ['npm install', ['name npm']],
    ['npm exec -- prettier .', ['name npm', 'package prettier']],
    ['npm exec --package=tsx -- tsx a.ts', ['name npm', 'package tsx', 'script a.ts']],
    ['npx -y prettier@3 .', ['name npx', 'package prettier@3']],
    ['npx @biomejs/biome check', ['name npx', 'package @biomejs/biome']],
    ["npx -c 'node a.js'", ['name npx', 'name node', 'script a.js']],
    ['bunx foo', ['name bunx', 'package foo']],
    ['bun x foo', ['name bun', 'package foo']],
    ['bun run lint', ['name bun', 'task or package lint']],
    ['bun lint', ['name bun', 'task or package lint']],
    ['bun install', ['name bun']],
    ['bun test', ['name bun']],
    ['bun run ./a.ts', ['name bun', 'script ./a.ts']],
    ['pnpm run lint', ['name pnpm', 'task lint']],
    ['pnpm lint', ['name pnpm', 'task or package lint']],
    ['pnpm -s lint', ['name pnpm', 'task or package lint']],
    ['pnpm --filter web lint', ['name pnpm']],
    ['pnpm -r lint', ['name pnpm']],
    ['pnpm install', ['name pnpm']],
    ['pnpm exec foo', ['name pnpm', 'package foo']],
    ['pnpm tsx a.ts', ['name pnpm', 'task or package tsx', 'script a.ts']],
    ['yarn lint', ['name yarn', 'task or package lint']],
    ['yarn run lint', ['name yarn', 'task or package lint']],
    ['yarn workspace web lint', ['name yarn']],
    ['yarn', ['name yarn']],
    ['deno task lint', ['name deno', 'deno task lint']],
    ['deno run -A a.ts', ['name deno', 'script a.ts']],
    ['deno run https://example.com/a.ts', ['name deno']],
    ['deno run jsr:@std/a', ['name deno']],
    ['deno fmt a.ts', ['name deno']],
    ['make lint', ['name make']],
    ['just lint', ['name just']],
    ['go run ./tools/guard', ['name go']],
    ['docker run --rm x ./a.sh', ['name docker']],
    ['env A=1 timeout -k 5 10 npx foo', ['name env', 'name timeout', 'name npx', 'package foo']],
    ['sudo -u ann ./a.sh', ['name sudo', 'program ./a.sh']],
    ['$RUNNER a.ts', []],
    ['npm run $TASK', ['name npm']],
  ])('%s', (command, expected) => {
    expect(all(command)).toEqual(expected)
  })

  test('a long chain of launchers ends', () => {
    expect(all('env '.repeat(10_000)).length).toBeLessThan(10)
  })
})
