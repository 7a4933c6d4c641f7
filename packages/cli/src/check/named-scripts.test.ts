import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namedScripts } from './named-scripts.js'

const named = (command: string) =>
  namedScripts(command, {
    platform: 'linux',
    home: '/home/me',
    cwd: '/project',
    variables: {
      CURSOR_PROJECT_DIR: '/project',
      CLAUDE_PROJECT_DIR: '/project',
      CURSOR_PLUGIN_ROOT: '/plug',
    },
  })
const brief = (command: string) =>
  named(command).map(({ path, role, certain }) => `${certain ? '' : '?'}${role} ${path}`)

describe('the scripts that a command names', () => {
  test.each([
    ['./guard.sh', ['program /project/guard.sh']],
    ['.cursor/hooks/guard --x', ['program /project/.cursor/hooks/guard']],
    ['/opt/guard', ['program /opt/guard']],
    ['guard.py', ['program /project/guard.py']],
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
    'node --no-warnings -r ./x guard.js'.replace(' -r ./x', ''),
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
    'uv run guard.js',
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
    expect(named(command).map(({ path, certain }) => [path, certain])).toEqual([['/project/guard.js', true]])
    expect(['argument', 'program']).toContain(named(command)[0]?.role)
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
  ])('nothing in %s', command => {
    expect(named(command)).toEqual([])
  })

  test.each(
    'sh bash zsh js cjs mjs ts cts mts py rb pl php ps1 cmd bat exe SH'.split(' ').map(ending => [ending]),
  )('a word that ends in .%s is a file', ending => {
    expect(brief(`$RUNNER lib/guard.${ending}`)).toEqual([`?further /project/lib/guard.${ending}`])
  })

  test('shells inside shells are looked into, three deep', () => {
    const inside = (depth: number): string =>
      depth === 0 ? './a.sh' : `sh -c ${JSON.stringify(inside(depth - 1))}`
    for (const depth of [1, 2, 3]) expect(brief(inside(depth))).toEqual(['program /project/a.sh'])
    expect(brief(inside(4))).toEqual([])
  })

  test('what may not run is named, but not for certain', () => {
    expect(brief('[ -x ./a.sh ] && ./b.sh')).toEqual(['?further /project/a.sh', '?program /project/b.sh'])
    expect(brief('./a.sh || ./b.sh')).toEqual(['program /project/a.sh', '?program /project/b.sh'])
    expect(brief('if ./a.sh; then ./b.sh; fi')).toEqual(['?program /project/a.sh', '?program /project/b.sh'])
    expect(brief('cat | node a.js')).toEqual(['?argument /project/a.js'])
  })

  test('files that go along are named too', () => {
    expect(brief('node_modules/.bin/tsx guard.ts')).toEqual([
      'interpreter /project/node_modules/.bin/tsx',
      'argument /project/guard.ts',
    ])
    expect(brief('./run.sh lib/policy.js data.json')).toEqual([
      'program /project/run.sh',
      '?further /project/lib/policy.js',
    ])
    expect(brief('bash < guard.sh > out.sh')).toEqual(['?further /project/guard.sh'])
    expect(brief('$RUNNER guard.ts')).toEqual(['?further /project/guard.ts'])
    expect(brief('. ./env.sh && ./guard.sh')).toEqual([
      '?further /project/env.sh',
      '?program /project/guard.sh',
    ])
    expect(brief('node --import ./hook.mjs guard.js')).toEqual([
      'argument /project/guard.js',
      '?further /project/hook.mjs',
    ])
  })

  test('cd moves the folder', () => {
    expect(brief('cd .cursor && ./guard.sh')).toEqual(['program /project/.cursor/guard.sh'])
  })

  test('endings that node adds', () => {
    expect(named('node ./guard')[0]?.endings).toContain('.js')
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
    fc.assert(fc.property(fc.array(word), words => Array.isArray(named(words.join(' ')))))
  })
})
