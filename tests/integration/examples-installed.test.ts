// Every example installed into a project and for a user. The files are those whose cases pass in the repository, so a few
// cases show that they work in the other place; `npm run test:all` runs every case there.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cover } from '../cover.js'
import { runsEverything } from '../scope.js'
import { folderOf, openRunner, tested } from './example-folders.js'

const { base, outcome } = openRunner()

/** Path below the hooks folder → content and mode. */
const hookFiles = (workspace: string) => {
  const folder = join(workspace, '.cursor/hooks')
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !file.includes('__pycache__'))
  return Object.fromEntries(
    files.map(file => [relative(folder, file), [readFileSync(file, 'utf8'), statSync(file).mode & 0o111]]),
  )
}

/** Events that a case fires and verdicts that it expects. */
const usesOf = (test: unknown): string[] => {
  const pairs = [...JSON.stringify(test).matchAll(/"(?:event|loop|expect|verdict)":"(\w+)"/g)]
  return [pairs.map(([, word]) => word).join(' ')]
}

/** A test file with the fewest cases that fire every event with every verdict of the example. */
function smokeTest(text: string): string {
  const { cases, ...rest } = parse(text) as { cases: unknown[] }
  return JSON.stringify({ ...rest, cases: [...cover(cases, usesOf)] })
}

function testInstalled(home: string): string {
  const folder = join(home, '.cursor')
  if (runsEverything) return outcome(folder, home, 'test')
  const isTest = (file: string) => file.endsWith('.hooks-test.yaml')
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isTest)
    .map(file => readFileSync(join(folder, file), 'utf8'))
  const files = texts.map((text, at) => {
    const file = join(folder, `smoke-${at}.hooks-test.json`)
    writeFileSync(file, smokeTest(text))
    return file
  })
  expect(files).not.toEqual([])
  const result = outcome(folder, home, 'test', ...files)
  for (const file of files) rmSync(file)
  return result
}

describe.each(tested)('%s', name => {
  it.each(['--project', '--user'])(
    'works when installed with %s',
    level => {
      const project = join(base, name, level, 'shop')
      const home = join(base, name, level, 'home')
      mkdirSync(join(project, '.cursor'), { recursive: true })
      expect(outcome(project, home, 'init', level, '--example', name, '--yes')).toBe('ok')
      expect(outcome(project, home, 'check')).toBe('ok')
      expect(hookFiles(level === '--user' ? home : project)).toEqual(hookFiles(folderOf(name)))
      if (level === '--user') expect(testInstalled(home)).toBe('ok')
      expect(outcome(project, home, 'init', level, '--undo')).toBe('ok')
    },
    120_000,
  )
})
