// The formatters only append a line to the file that they get, except for a real one.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withDefaults } from '../guard.js'
import { format } from './guard.js'

let base: string
let root: string
let printed: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-format-'))
  root = join(base, 'app')
  put('src/a.ts', 'let a\n')
  put('src/b.ts', 'let b\n')
  printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    printed += text
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

function put(name: string, text: string): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
}
const appends = (text: string) => `#!/bin/sh\nfor file; do :; done\necho "${text} $1" >> "$file"\n`
const read = (name: string) => readFileSync(join(root, name), 'utf8')

async function edit(file: string, options = {}): Promise<void> {
  const payload = { hook_event_name: 'afterFileEdit', file_path: file, edits: [] }
  const judgement = await format.judge(payload, withDefaults(format, options), {
    root,
    cwd: root,
    home: base,
  })
  expect(judgement).toEqual({ findings: [] })
}

it('formats the changed file, and no other', async () => {
  put('node_modules/.bin/prettier', appends('// by prettier'))
  await edit('src/a.ts')
  expect(read('src/a.ts')).toContain('by prettier')
  expect(read('src/b.ts')).toBe('let b\n')
  expect(printed).toBe('')
})

it('uses the formatter of the language', async () => {
  put('.venv/bin/ruff', appends('# by ruff'))
  put('pyproject.toml', '[tool.ruff]\n')
  put('a.py', 'a = 1\n')
  await edit('a.py')
  expect(read('a.py')).toContain('by ruff')
})

it('prefers Biome where the project has set it up', async () => {
  put('node_modules/.bin/prettier', appends('// by prettier'))
  put('node_modules/.bin/biome', appends('// by biome'))
  put('biome.json', '{}')
  await edit('src/a.ts')
  expect(read('src/a.ts')).toBe('let a\n// by biome format\n')
})

it('finds programs of the machine on the PATH', async () => {
  put('bin/gofmt', appends('// by gofmt'))
  put('go.mod', 'module a\n')
  put('a.go', 'package a\n')
  vi.stubEnv('PATH', `${join(root, 'bin')}${delimiter}${process.env.PATH}`)
  await edit('a.go')
  expect(read('a.go')).toBe('package a\n// by gofmt -w\n')
})

it('formats with a real Biome', async () => {
  symlinkSync(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(root, 'node_modules'))
  put('biome.json', '{ "formatter": { "indentStyle": "space" } }')
  put('src/a.ts', 'const   a={b:1}\n')
  await edit('src/a.ts')
  expect(read('src/a.ts')).toBe('const a = { b: 1 };\n')
})

it('does nothing without a formatter, for other files and for a file that is gone', async () => {
  put('a.xyz', 'a')
  for (const file of ['src/a.ts', 'a.xyz', 'src/gone.ts']) await edit(file)
  expect(read('src/a.ts')).toBe('let a\n')
  expect(printed).toBe('')
})

it('leaves files alone that are not of the workspace', async () => {
  put('node_modules/.bin/prettier', appends('// by prettier'))
  put('node_modules/x/a.ts', 'let a\n')
  put('../other/o.ts', 'let o\n')
  symlinkSync('../../other/o.ts', join(root, 'src/link.ts'))
  symlinkSync('../other', join(root, 'folder'))
  for (const file of ['node_modules/x/a.ts', '../other/o.ts', 'src/link.ts', 'folder/o.ts']) await edit(file)
  expect([read('node_modules/x/a.ts'), read('../other/o.ts')]).toEqual(['let a\n', 'let o\n'])
})

it('passes names with spaces, quotes and dollars unchanged', async () => {
  put('node_modules/.bin/prettier', appends('// by prettier'))
  const name = 'src/a $(touch harm) "b.ts'
  put(name, 'let a\n')
  await edit(name)
  expect(read(name)).toContain('by prettier')
  expect(existsSync(join(root, 'src/harm'))).toBe(false)
})

it('reports a formatter that fails in one line', async () => {
  put('node_modules/.bin/prettier', "#!/bin/sh\necho 'unexpected token' >&2\nexit 2\n")
  await edit('src/a.ts')
  expect(printed).toMatch(/did not format src.a\.ts: unexpected token\n$/)
})

it('ends a formatter that does not end', async () => {
  put('node_modules/.bin/prettier', '#!/bin/sh\nexec sleep 60\n')
  await edit('src/a.ts', { seconds: 0.2 })
  expect(printed).toMatch(/took longer than 0\.2 s\n$/)
})
