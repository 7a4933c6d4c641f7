// Completion in the real shells. A shell that is not installed is reported as skipped.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'))
mkdirSync(join(folder, 'some-folder'))
writeFileSync(join(folder, 'some-file.json'), '')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Types into a zsh in a terminal, where TAB completes, and prints what the command received. */
const ZSH = `
import os, pty, re, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1="", TERM="dumb")
    os.execvp("zsh", ["zsh", "-f", "-i"])
def until(mark):
    text = ""
    while not re.search(mark, text):
        if not select.select([terminal], [], [], 30)[0]:
            sys.exit("zsh printed only: " + text)
        text += os.read(terminal, 4096).decode()
    return re.search(mark, text)[1]
def enter(text):
    os.write(terminal, text.encode())
try:
    enter("autoload -Uz compinit; compinit -D; source ./script; holdfast() { print -r -- \\"<$*>\\" }; print '<'ready'>'\\n")
    until("<(ready)>")
    enter("holdfast " + sys.argv[1] + "\\t\\n")
    print(until("<([^$>]+)>"))
finally:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
`

interface Shell {
  readonly program: string
  /** The candidates for a line. zsh completes the line instead. */
  complete(line: string): string[]
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    program: 'bash',
    complete(line) {
      const words = ['holdfast', ...line.split(' ')]
      const quoted = words.map(word => `'${word}'`).join(' ')
      const script = `compopt() { :; }; source ./script; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
      return linesOf(run('bash', '--norc', '-c', script))
    },
  },
  zsh: {
    program: 'zsh',
    complete: line => [run('python3', '-c', ZSH, line).trim().split(' ').at(-1)!],
  },
  fish: {
    program: 'fish',
    complete: line =>
      linesOf(run('fish', '--no-config', '-c', `source ./script; complete -C 'holdfast ${line}'`)).map(
        candidate => candidate.split('\t')[0]!,
      ),
  },
  powershell: {
    program: 'pwsh',
    complete(line) {
      const whole = `holdfast ${line}`
      const script = `. ./script; (TabExpansion2 '${whole}' ${whole.length}).CompletionMatches.CompletionText`
      return linesOf(run('pwsh', '-NoProfile', '-Command', `. { ${script} }`))
    },
  },
}

const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const CASES = [
  { of: 'commands', line: 'rest', expected: ['restore'] },
  { of: 'subcommands', line: 'keys su', expected: ['submit'] },
  { of: 'options', line: 'log --foll', expected: ['--follow'] },
  { of: 'options of a subcommand', line: 'keys propose --new-l', expected: ['--new-lease-key'] },
  { of: 'values of an option', line: 'log --outcome failed-', expected: ['failed-open'] },
  { of: 'values after other options', line: 'log --json --outcome failed-', expected: ['failed-open'] },
  { of: 'arguments', line: 'fire beforeShell', expected: ['beforeShellExecution'] },
  { of: 'fields of events', line: 'fire stop --loop-c', expected: ['--loop-count'] },
  { of: 'commands to get help for', line: 'help rest', expected: ['restore'] },
]

describe.each(Object.entries(SHELLS))('%s', (name, { program, complete }) => {
  const script = execFileSync(process.execPath, [BIN, 'completion', name], { encoding: 'utf8' })
  const use = () => writeFileSync(join(folder, 'script'), script)

  it.skipIf(!isInstalled(program)).each(CASES)('completes $of', ({ line, expected }) => {
    use()
    expect(complete(line)).toEqual(expected)
  })

  it.skipIf(!isInstalled(program))('completes files and folders', () => {
    use()
    expect(complete('check some-fi').map(path => path.replace('./', ''))).toEqual(['some-file.json'])
    expect(complete('log --home some-fo').map(path => path.replace(/^\.\/|\/$/g, ''))).toEqual([
      'some-folder',
    ])
  })

  it('has every command', () => expect(script).toContain('undo-migration'))
})
