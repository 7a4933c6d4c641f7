// What the cases of the guards in sh cannot say: how they read commands is held against a real shell, and they work
// with whatever reads JSON.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const examples = fileURLToPath(new URL('.', import.meta.url))
const GUARDS = { 'block-git': 'git push', 'block-dangerous-shell': 'rm -rf /', 'approve-network': 'curl x' }
const RUNS = Number(process.env.SHELL_GUARD_RUNS ?? 120)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'block-git-'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\n: > '${folder}/git-ran'\n`)
  chmodSync(join(folder, 'bin/git'), 0o755)
  for (const name of ['sh', 'bash', 'env', 'cat', 'xargs', 'true', 'timeout', 'nice', 'find', 'rev', 'tee'])
    symlinkSync(program(name), join(folder, 'bin', name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = (name: string): string => {
  const found = process.env.PATH!.split(delimiter).find(part => existsSync(join(part, name)))
  if (!found) throw new Error(`There is no ${name}.`)
  return join(found, name)
}

/** Behind what version managers put into the path. */
const real = (name: string): string =>
  name === 'python3'
    ? spawnSync(name, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim()
    : program(name)

const verdictOf = (name: string, payload: string, env: NodeJS.ProcessEnv = process.env) => {
  const guard = join(examples, name, '.cursor/hooks', `${name}.sh`)
  const { stdout, stderr } = spawnSync(guard, { input: payload, encoding: 'utf8', env })
  return { ...JSON.parse(stdout), stderr }
}

/** Whether bash starts git when it is given the text. */
function runsGit(command: string): boolean {
  spawnSync('bash', ['--norc', '--noprofile', '-c', command], {
    cwd: join(folder, 'work'),
    env: { PATH: join(folder, 'bin') },
    input: '',
    timeout: 3000,
    killSignal: 'SIGKILL',
  })
  const ran = existsSync(join(folder, 'git-ran'))
  rmSync(join(folder, 'git-ran'), { force: true })
  return ran
}

const SPELLINGS = ['git x', 'g\\it', "gi''t x", '"git" x', "$'\\x67it'", './../bin/git x', 'A=1 git', '\\git']
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const AROUND: ((inner: string) => string)[] = [
  inner => `true && ${inner}`,
  inner => `echo a | ${inner}`,
  inner => `( ${inner} )`,
  inner => `{ ${inner}\n}`,
  inner => `echo "$(${inner})"`,
  inner => `echo $( ${inner} ) # x`,
  inner => `bash -c ${quoted(inner)}`,
  inner => `eval ${quoted(inner)}`,
  inner => `f () { ${inner}\n}; f`,
  inner => `if ${inner}\nthen true; fi`,
  inner => `for a in 1; do ${inner}\ndone`,
  inner => `case a in b|c) ;; (a) ${inner}\n;; esac`,
  inner => `[[ a == a ]] && ${inner}`,
  inner => `: $((1 << 2)); ${inner}`,
  inner => `cat <<'E' | sh\n${inner}\nE`,
  inner => `bash <<< ${quoted(inner)}`,
  inner => `x=\${y:-$( ${inner} )}`,
  inner => `cat <( ${inner} )`,
  inner => `echo 'it''s' "a;b" \\" ; ${inner}`,
  inner => `echo a | while read b; do ${inner}\ndone`,
]
const TOKENS =
  `git sh bash -c echo cat if then fi do done case in esac x) ;; [[ ]] { } ( ) $( ) \` ' " \\ | || && & ; # $(( )) (( << <<E E <<< x= \${x:- } $' $" eval env true ! f() -- =`
    .split(' ')
    .concat([' ', ' ', ' ', '\n', 'git x', 'true;', '\nE\n', '; git', '&& git'])

const nested = fc
  .tuple(fc.constantFrom(...SPELLINGS), fc.array(fc.constantFrom(...AROUND), { maxLength: 4 }))
  .map(([inner, around]) => around.reduce((text, wrap) => wrap(text), inner))
const soup = fc
  .array(fc.tuple(fc.constantFrom(...TOKENS), fc.constantFrom('', ' ')), { minLength: 2, maxLength: 14 })
  .map(parts => parts.flat().join(''))

describe('against a real shell', () => {
  const holds = (command: string) => {
    if (!runsGit(command)) return
    const { permission } = verdictOf('block-git', JSON.stringify({ command }))
    expect(['deny', 'ask'], command).toContain(permission)
  }
  test('what bash runs as git is not let through: nested', { timeout: 60_000 }, () => {
    fc.assert(fc.property(nested, holds), { numRuns: RUNS })
  })
  test('what bash runs as git is not let through: any text', { timeout: 60_000 }, () => {
    fc.assert(fc.property(soup, holds), { numRuns: RUNS })
  })
})

describe.each(Object.entries(GUARDS))('the payload of %s', (guard, bad) => {
  const only = (...names: string[]) => {
    const bin = mkdtempSync(join(folder, 'only-'))
    for (const name of ['sh', 'awk', 'sed', 'tr', 'cut', ...names]) symlinkSync(real(name), join(bin, name))
    return { PATH: bin, HOME: '/home/ada' }
  }
  const readers = ['jq', 'python3', 'node'].filter(name =>
    process.env.PATH!.split(delimiter).some(part => existsSync(join(part, name))),
  )
  test.each(readers)('is read by %s alone', name => {
    const env = only(name)
    const verdict = (payload: unknown) => verdictOf(guard, JSON.stringify(payload), env).permission
    const about = { cwd: '/a\nb', workspace_roots: ['/a'] }
    expect(verdict({ ...about, command: `${bad}; echo "\\é\n` })).toMatch(/deny|ask/)
    expect(verdict({ ...about, command: 'ls "é"' })).toBeUndefined()
    expect(verdict({ command: 'ls' })).toBeUndefined()
    expect(verdict({ command: '' })).toBeUndefined()
    for (const payload of [{ command: 5 }, { command: null }, {}, ['git'], 'git', null])
      expect(verdict(payload), JSON.stringify(payload)).toBe('deny')
    for (const text of ['not JSON', '', '{"command":"ls"', '{"command":"ls"}{}'])
      expect(verdictOf(guard, text, env).permission, text).toBe('deny')
  })
  test('denies when nothing reads JSON here', () => {
    const { permission, stderr } = verdictOf(guard, '{"command":"ls"}', only())
    expect(permission).toBe('deny')
    expect(stderr).toContain('needs jq, python3 or node')
  })
  test('denies what is nested without end', () => {
    expect(verdictOf(guard, JSON.stringify({ command: '$('.repeat(50_000) })).permission).toMatch(/deny|ask/)
  })
  test('reads commands in the same way as the others', () => {
    const text = (name: string) => readFileSync(join(examples, name, '.cursor/hooks/commands.awk'), 'utf8')
    expect(text(guard)).toBe(text('block-git'))
  })
})
