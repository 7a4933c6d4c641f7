import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { definition } from '../../../../tests/fixtures/definition.js'
import { programsOf } from './programs.js'

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-programs-')))
  mkdirSync(join(folder, 'bin'))
  for (const name of ['node', 'python3', 'jq', 'env']) write(`bin/${name}`, '#!/bin/sh\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string, mode = 0o755): string {
  const file = join(folder, path)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

const look = (command: string) =>
  programsOf(definition({ command, cwd: folder, root: folder }), {
    platform: 'linux',
    home: folder,
    env: { PATH: join(folder, 'bin'), TOOL: 'jq' },
  })

/** `role word problem`, with a question mark where it is not certain. */
const said = (command: string) =>
  look(command).map(({ role, word, problem, certain }) =>
    [role, word, problem ?? 'fine', certain ? '' : '?'].join(' ').trim(),
  )

describe('what a command needs', () => {
  it('the interpreter and its script', () => {
    write('guard.js', '', 0o644)
    expect(said('node guard.js')).toEqual(['interpreter node fine', 'script guard.js fine'])
    expect(said('node --no-warnings ./guard')).toEqual(['interpreter node fine', 'script ./guard fine'])
    expect(said('bun guard.js')).toEqual(['interpreter bun missing', 'script guard.js fine'])
    expect(said('python3 nowhere.py')).toEqual(['interpreter python3 fine', 'script nowhere.py missing'])
    expect(said('A=1 env B=2 node guard.js').slice(1)).toEqual([
      'interpreter node fine',
      'script guard.js fine',
    ])
  })

  it('a program by its path, and what its first line asks for', () => {
    write('a', '#!/usr/bin/env node\n')
    write('b', '#!/usr/bin/env -S node --flag\n')
    write('c', '#!/usr/bin/env -S python9 -I\n')
    write('d', '#!/no/such/shell -e\n')
    write('e', '#!/usr/bin/env A=1 python3')
    write('f', 'echo no first line')
    expect(said('./a')).toEqual([
      'program ./a fine',
      'interpreter /usr/bin/env fine',
      'interpreter node fine',
    ])
    expect(said('./b').at(-1)).toBe('interpreter node fine')
    expect(said('./c').at(-1)).toBe('interpreter python9 missing')
    expect(said('./d').at(-1)).toBe('interpreter /no/such/shell missing')
    expect(said('./e').at(-1)).toBe('interpreter python3 fine')
    expect(said('./f')).toEqual(['program ./f fine'])
  })

  it('says what is wrong with a file', () => {
    write('plain.sh', '#!/bin/sh\n', 0o644)
    write('windows.sh', '#!/bin/sh\r\n')
    write('bom.sh', '\ufeff#!/bin/sh\n')
    mkdirSync(join(folder, 'folder'))
    expect(said('./plain.sh')).toEqual(['program ./plain.sh not-executable'])
    expect(said('./windows.sh').at(-1)).toBe('interpreter #!/bin/sh line-break')
    expect(said('./bom.sh').at(-1)).toBe('interpreter #! byte-order-mark ?')
    expect(said('./folder')).toEqual(['program ./folder folder'])
    expect(said('./nowhere')).toEqual(['program ./nowhere missing'])
  })

  it.skipIf(process.getuid?.() === 0)('says when a script may not be read', () => {
    write('secret.js', '', 0o000)
    write('secret.sh', '#!/bin/sh\n', 0o111)
    expect(said('node secret.js').at(-1)).toBe('script secret.js unreadable')
    expect(said('./secret.sh').at(-1)).toBe('interpreter #! unreadable ?')
  })

  it('a task of the nearest package.json', () => {
    write('package.json', '{ "scripts": { "lint": "x", "lint:all": "x" } }', 0o644)
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    write('node_modules/.bin/foo', '')
    write('bin/npm', '')
    expect(said('npm run lint')).toEqual(['program npm fine', 'task lint fine'])
    expect(said('npm run lint:all -- --fix').at(-1)).toBe('task lint:all fine')
    expect(said('npm run lnt').at(-1)).toBe('task lnt no-task')
    expect(said('npm run env')).toEqual(['program npm fine'])
    expect(said('pnpm lint').at(-1)).toBe('task lint fine')
    expect(said('pnpm foo').at(-1)).toBe('program foo fine')
    expect(said('pnpm jq').at(-1)).toBe('program jq fine')
    expect(said('yarn nowhere').at(-1)).toBe('task nowhere no-task')
    for (const launcher of ['npx', 'bunx', 'pnpm exec', 'npm exec']) {
      expect(look(`${launcher} foo`).at(-1)?.path).toBe(join(folder, 'node_modules/.bin/foo'))
      expect(said(`${launcher} elsewhere`)).toHaveLength(1)
    }
    mkdirSync(join(folder, 'sub'))
    expect(said('cd sub && npm run lint').at(-1)).toBe('task lint fine')
  })

  it('a program of a package that is not installed may be there later', () => {
    write('package.json', '{ "scripts": {} }', 0o644)
    expect(said('yarn prettier .')).toEqual(['program yarn missing'])
  })

  it('a task without a package.json, or with one that cannot be read', () => {
    expect(said('npm run lint').at(-1)).toBe('task lint missing')
    expect(said('pnpm lint')).toEqual(['program pnpm missing'])
    write('package.json', 'no', 0o644)
    expect(said('npm run lint')).toEqual(['program npm missing'])
  })

  it('a task of deno', () => {
    write('deno.jsonc', '{ /* x */ "tasks": { "lint": "x", } }', 0o644)
    write('package.json', '{ "scripts": { "build": "x" } }', 0o644)
    expect(said('deno task lint').at(-1)).toBe('task lint fine')
    expect(said('deno task build').at(-1)).toBe('task build fine')
    expect(said('deno task nowhere').at(-1)).toBe('task nowhere no-task')
  })

  it('programs of a longer command, of which only the first is certain', () => {
    expect(said('cat | jq .command && nosuch')).toEqual([
      'program cat missing',
      'program jq fine ?',
      'program nosuch missing ?',
    ])
    expect(said('if nosuch; then echo {}; fi')).toEqual(['program nosuch missing ?'])
  })

  it('nothing that the shell knows by itself, or that only the shell can know', () => {
    expect(said("echo '{}'; exit 2; true; cd x; [ -f a ]")).toEqual([])
    expect(said('$SOMETHING --x')).toEqual([])
    expect(said('$TOOL .')).toEqual(['program jq fine'])
    expect(look('')).toEqual([])
  })

  it('looks in every folder of PATH, also beside the hook', () => {
    write('beside', '#!/bin/sh\n')
    const around = {
      platform: 'linux',
      home: folder,
      env: { PATH: `/none:${join(folder, 'bin')}:.` },
    } as const
    const find = (command: string) => programsOf(definition({ command, cwd: folder, root: folder }), around)
    expect(find('jq .')[0]!.path).toBe(join(folder, 'bin/jq'))
    expect(find('beside')[0]!.path).toBe(join(folder, 'beside'))
    expect(find('nowhere')[0]!.path).toBe(null)
  })

  it('is total over any command', () => {
    for (const command of [
      '"',
      "'",
      '`',
      '$(',
      '\\',
      '|||',
      '\0',
      '#',
      '<',
      'a'.repeat(100_000),
      '((((((((((',
    ])
      expect(() => look(command)).not.toThrow()
  })
})
