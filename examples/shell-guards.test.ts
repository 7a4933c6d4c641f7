// What the cases of the guards cannot cover: their reading of commands is compared with a real shell, and those in sh
// work with every JSON reader.

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
import { python3 } from '../tests/python/python3.js'
import { runsEverything } from '../tests/scope.js'

const examples = fileURLToPath(new URL('.', import.meta.url))
const GUARDS = { 'block-git': 'git push', 'block-dangerous-shell': 'rm -rf /', 'approve-network': 'curl x' }
/** These guards share the code that reads payloads; by default each JSON reader runs in one of them. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  'block-git': ['jq', 'node'],
  'approve-network': ['python3'],
}
const RUNS = Number(process.env.SHELL_GUARD_RUNS ?? (runsEverything ? 50 : 8))

/** Programs that only leave a mark when they run, and the guards that must have detected them. */
const TOOLS = [
  { name: 'git', call: 'git x', leaves: '', guard: ['block-git/.cursor/hooks/block-git.sh'] },
  {
    name: 'kubectl',
    call: 'kubectl delete ns x',
    leaves: '[ "$1 $2" = "delete ns" ] &&',
    guard: [python3 ?? 'python3', '-I', '-S', 'kube-guard/.cursor/hooks/kube_guard.py'],
  },
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-guards-'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'work'))
  for (const { name, leaves } of TOOLS) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${leaves} : > '${folder}/ran'\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  for (const name of ['sh', 'bash', 'env', 'cat', 'xargs', 'true', 'timeout', 'nice', 'find', 'rev', 'tee'])
    symlinkSync(program(name), join(folder, 'bin', name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = (name: string): string => {
  const found = process.env.PATH!.split(delimiter).find(part => existsSync(join(part, name)))
  if (!found) throw new Error(`There is no ${name}.`)
  return join(found, name)
}

/** Placed after what version managers add to the PATH. */
const real = (name: string): string =>
  name === 'python3'
    ? spawnSync(name, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim()
    : program(name)

const textOf = (name: string, file: string) =>
  readFileSync(join(examples, name, '.cursor/hooks', file), 'utf8')

const verdictOf = (name: string, payload: string, env: NodeJS.ProcessEnv = process.env) => {
  const guard = join(examples, name, '.cursor/hooks', `${name}.sh`)
  const { stdout, stderr } = spawnSync(guard, { input: payload, encoding: 'utf8', env })
  return { ...JSON.parse(stdout), stderr }
}

/** Whether bash starts the program when it runs the text. */
function runs(command: string): boolean {
  spawnSync('bash', ['--norc', '--noprofile', '-c', command], {
    cwd: join(folder, 'work'),
    env: { PATH: join(folder, 'bin') },
    input: '',
    timeout: 3000,
    killSignal: 'SIGKILL',
  })
  const ran = existsSync(join(folder, 'ran'))
  rmSync(join(folder, 'ran'), { force: true })
  return ran
}

const spellings = (call: string) => [
  call,
  `\\${call}`,
  `A=1 ${call}`,
  `./../bin/${call}`,
  call.replace(/^(.)(\S+)/, '$1\\$2'),
  call.replace(/^(.)(\S+)/, "$1''$2"),
  call.replace(/^\S+/, '"$&"'),
  call.replace(/^\S/, letter => `$'\\x${letter.charCodeAt(0).toString(16)}'`),
]
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
const tokens = (call: string) =>
  `${call.split(' ')[0]} sh bash -c echo cat if then fi do done case in esac x) ;; [[ ]] { } ( ) $( ) \` ' " \\ | || && & ; # $(( )) (( << <<E E <<< x= \${x:- } $' $" eval env true ! f() -- =`
    .split(' ')
    .concat([' ', ' ', ' ', '\n', call, 'true;', '\nE\n', `; ${call}`, `&& ${call}`])

const nested = (call: string) =>
  fc
    .tuple(fc.constantFrom(...spellings(call)), fc.array(fc.constantFrom(...AROUND), { maxLength: 4 }))
    .map(([inner, around]) => around.reduce((text, wrap) => wrap(text), inner))
const soup = (call: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...tokens(call)), fc.constantFrom('', ' ')), {
      minLength: 2,
      maxLength: 14,
    })
    .map(parts => parts.flat().join(''))

describe.each(TOOLS)('against a real shell: $name', ({ call, guard: [program = '', ...args] }) => {
  const holds = (command: string) => {
    if (!runs(command)) return
    const payload = { hook_event_name: 'beforeShellExecution', command, cursor_version: '3.1' }
    const { stdout } = spawnSync(args.length > 0 ? program : join(examples, program), args, {
      cwd: examples,
      input: JSON.stringify(payload),
      encoding: 'utf8',
    })
    expect(['deny', 'ask'], command).toContain(JSON.parse(stdout).permission)
  }
  test('what bash runs is not let through: nested', { timeout: 120_000 }, () => {
    fc.assert(fc.property(nested(call), holds), { numRuns: RUNS })
  })
  test('what bash runs is not let through: any text', { timeout: 120_000 }, () => {
    fc.assert(fc.property(soup(call), holds), { numRuns: RUNS })
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
  test.each(readers.filter(name => runsEverything || READERS[guard]?.includes(name)))(
    'is read by %s alone',
    name => {
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
    },
  )
  test('denies when nothing reads JSON here', () => {
    const { permission, stderr } = verdictOf(guard, '{"command":"ls"}', only())
    expect(permission).toBe('deny')
    expect(stderr).toContain('needs jq, python3 or node')
  })
  test('denies what is nested without end', () => {
    expect(verdictOf(guard, JSON.stringify({ command: '$('.repeat(50_000) })).permission).toMatch(/deny|ask/)
  })
  test('reads commands in the same way as the others', () => {
    expect(textOf(guard, 'commands.awk')).toBe(textOf('block-git', 'commands.awk'))
  })
})

test('the guards that share their readers read payloads in the same way', () => {
  const readerOf = (name: string) =>
    /^read_command\(\) \{\n.*?^\}\n/ms.exec(textOf(name, `${name}.sh`))![0].replace(`${name}:`, 'guard:')
  const [first, ...others] = Object.keys(READERS).map(readerOf)
  for (const other of others) expect(other).toBe(first)
})
