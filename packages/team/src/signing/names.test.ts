import { scriptNameProblem, scriptNamesProblem } from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'

describe('names of scripts', () => {
  it.each([
    'guard.sh',
    'a',
    '0.py',
    'Guard_2-final.cmd',
    'console.sh',
    'communicate',
    'nullable.js',
    'x'.repeat(100),
  ])('%s is fine', name => expect(scriptNameProblem(name)).toBeUndefined())

  it.each([
    '',
    '.',
    '..',
    '../x',
    '../../.bashrc',
    '/x',
    '\\x',
    'a/b',
    'a\\b',
    'C:x',
    'a:b',
    '.hidden',
    '-rf',
    '_x',
    'x.',
    'x ',
    ' x',
    'x\0',
    'x\0.sh',
    'x\n',
    'ü.sh',
    'e\u0301.sh',
    'x'.repeat(101),
    'x'.repeat(300),
    'CON',
    'con.sh',
    'NUL.sh',
    'nul.tar.gz',
    'AUX',
    'prn.txt',
    'COM0',
    'com1',
    'Com9.js',
    'LPT0.x',
    'lpt5',
    'com¹',
    'lpt³.sh',
    'CONIN$',
    'CONOUT$.txt',
    'manifest.json',
    'MANIFEST.json',
    'release.json',
    'Lease.JSON',
  ])('%j is refused', name => expect(scriptNameProblem(name)).toMatch(/^(The script name|Two)/))

  const hook = (script_name: string, sha256 = 'a') => ({ script_name, sha256 })
  it('are one file each on every machine', () => {
    expect(scriptNamesProblem([hook('a.sh'), hook('A.sh')])).toMatch(/one file on some machines/)
    expect(scriptNamesProblem([hook('a.sh'), hook('A.sh', 'b')])).toMatch(/one file/)
    expect(scriptNamesProblem([hook('a.sh', 'a'), hook('a.sh', 'b')])).toMatch(/one file/)
    expect(scriptNamesProblem([hook('a.sh', 'a'), hook('a.sh', 'b')])).toMatch(
      /^Two different scripts are called "a.sh", .*another name\.$/,
    )
    expect(scriptNamesProblem([hook('a.sh'), hook('a.sh'), {}, {}, hook('b.sh')])).toBeUndefined()
  })
})
