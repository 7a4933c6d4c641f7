import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { plainWords } from '../shell.js'
import { commandLine } from './command.js'
import { taskkill } from './kill.js'

const windowsCommand = (command: string) => commandLine(command, 'win32')

const isDirect = (command: string) => commandLine(command, 'linux').file !== '/bin/sh'

describe('a command line', () => {
  it('starts directly what needs no shell', () => {
    expect(commandLine('.cursor/hooks/a.sh', 'linux')).toEqual({ file: '.cursor/hooks/a.sh', args: [] })
    expect(commandLine(' node  a.js --x=1 ', 'linux')).toEqual({ file: 'node', args: ['a.js', '--x=1'] })
    expect(commandLine(`python3 'my hook.py' "a b"c`, 'darwin')).toEqual({
      file: 'python3',
      args: ['my hook.py', 'a bc'],
    })
  })

  it.each([
    'a.sh | tee log',
    'a.sh && b.sh',
    'X=1 a.sh',
    'X+=1 a.sh',
    'echo hi',
    'exit 2',
    '~/a.sh',
    '$HOME/a.sh',
    '"$DIR"/a.sh',
    'a.sh *.ts',
    'a.sh > out',
    'a.sh\nb.sh',
    'a.sh #x',
    '(a.sh)',
    'a.sh "it\\"s"',
    '',
    '""',
    'if true; then a; fi',
  ])('leaves to the shell: %s', command => {
    expect(isDirect(command)).toBe(false)
  })

  const BUILT_IN =
    '. : alias bg break case cd command continue do done echo elif else esac eval exec exit export false fc fg fi ' +
    'for function getopts hash if in jobs kill local printf pwd read readonly return select set shift source ' +
    'suspend test then time times trap true type typeset ulimit umask unalias unset until wait while'

  it.each(BUILT_IN.split(' '))('leaves %s to the shell, which has it built in', word => {
    expect(isDirect(`${word} x`)).toBe(false)
    expect(isDirect(`./${word} x`)).toBe(true)
  })

  it('sees the same words as the shell', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[\w\-./:=,@%+]{1,8}$/),
      fc.stringMatching(/^'[ -&(-~]{0,8}'$/),
      fc.stringMatching(/^"[ #%-[\]-_a-~]{0,8}"$/),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), words => {
        const command = words.join(' ')
        const mine = plainWords(`x ${command}`)
        if (!mine) return
        const theirs = execFileSync('/bin/sh', ['-c', `printf '%s\\0' x ${command}`], { encoding: 'utf8' })
        expect(mine).toEqual(theirs.split('\0').slice(0, -1))
      }),
      { numRuns: randomRuns(150) },
    )
  })
})

describe('Windows', () => {
  const powershell = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass']

  it('starts scripts through the interpreter of their extension', () => {
    expect(windowsCommand('.cursor/hooks/a.js --x')).toEqual({
      file: 'node.exe',
      args: ['.cursor/hooks/a.js', '--x'],
    })
    expect(windowsCommand('hooks\\a.py')).toEqual({ file: 'python.exe', args: ['hooks\\a.py'] })
    expect(windowsCommand('"C:\\my hooks\\a.sh"')).toEqual({ file: 'bash.exe', args: ['C:\\my hooks\\a.sh'] })
    expect(windowsCommand('a.ps1 -X 1')).toEqual({
      file: 'powershell.exe',
      args: [...powershell, '-File', 'a.ps1', '-X', '1'],
    })
    expect(windowsCommand('C:\\x\\guard.exe now')).toEqual({ file: 'C:\\x\\guard.exe', args: ['now'] })
  })

  it('takes batch files through cmd', () => {
    expect(windowsCommand('"my hooks\\a.cmd" x')).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', '""my hooks\\a.cmd" "x""'],
      verbatim: true,
    })
  })

  it('leaves the rest to PowerShell, calls what is quoted and passes the exit code on', () => {
    const { file, args } = windowsCommand('"C:\\a b\\run" | Out-Null')
    expect(file).toBe('powershell.exe')
    expect(args.at(-1)).toMatch(/^& "C:\\a b\\run" \| Out-Null; if \(\$null -ne \$LASTEXITCODE\) \{ exit/)
    expect(windowsCommand('node a.js').args.at(-1)).toMatch(/^node a\.js; /)
  })

  it('ends a tree with the taskkill of the system', () => {
    expect(taskkill(7, 'D:\\Win')).toEqual({
      file: 'D:\\Win\\System32\\taskkill.exe',
      args: ['/pid', '7', '/t', '/f'],
    })
  })
})
