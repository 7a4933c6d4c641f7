// What the cases cannot cover: a formatter on the PATH, and a real one.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const program = fileURLToPath(new URL('.cursor/hooks/format-after-edit.cjs', import.meta.url))
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'format-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function edited(file: string, PATH = process.env.PATH): void {
  const payload = {
    hook_event_name: 'afterFileEdit',
    file_path: join(root, file),
    workspace_roots: [root],
    edits: [],
  }
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    input: JSON.stringify(payload),
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  expect([stdout, stderr]).toEqual(['{}\n', ''])
}

test('a Go file is given to gofmt', () => {
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/gofmt'), '#!/bin/sh\necho "// by gofmt $1" >> "$2"\n')
  chmodSync(join(root, 'bin/gofmt'), 0o755)
  writeFileSync(join(root, 'go.mod'), 'module a\n')
  writeFileSync(join(root, 'a.go'), 'package a\n')
  edited('a.go', `${join(root, 'bin')}:${process.env.PATH}`)
  expect(readFileSync(join(root, 'a.go'), 'utf8')).toBe('package a\n// by gofmt -w\n')
})

test('a TypeScript file is formatted by a real biome', () => {
  symlinkSync(modules, join(root, 'node_modules'))
  writeFileSync(join(root, 'biome.json'), '{ "formatter": { "indentStyle": "space" } }')
  writeFileSync(join(root, 'a.ts'), 'const   a={b:1}\n')
  edited('a.ts')
  expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('const a = { b: 1 };\n')
})
