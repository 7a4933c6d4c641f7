// Every example installed into a project and for a user. The files are those whose cases pass where they were built, so a few
// cases of one example in each language show that they work in the other place; `npm run test:all` runs every case there.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cover } from '../cover.js'
import { firstOf, runsEverything } from '../scope.js'
import { folderOf, openRunner, tested, writeFewCases } from './example-folders.js'

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

/** The languages of the hooks of an example: "sh", "py", "cjs", "guard", or "none" for a prompt. */
function languagesOf(name: string): string[] {
  const { hooks } = JSON.parse(readFileSync(join(folderOf(name), '.cursor/hooks.json'), 'utf8')) as {
    hooks: Record<string, { command?: string }[]>
  }
  const commands = Object.values(hooks).flatMap(entries => entries.map(({ command = '' }) => command))
  return commands.map(
    command => /\.(sh|py|cjs)\b|holdfast (guard)/.exec(command)?.slice(1).find(Boolean) ?? 'none',
  )
}

const LEVELS = ['--project', '--user']
const oneOfEachLanguage = cover(tested, languagesOf)
const [played] = oneOfEachLanguage

function testInstalled(name: string, home: string): string {
  const folder = join(home, '.cursor')
  if (runsEverything) return outcome(folder, home, 'test')
  if (name !== played) return 'ok'
  return outcome(folder, home, 'test', ...writeFewCases(folder, join(home, 'few')))
}

it('has an example in each language', () => {
  expect([...new Set(tested.flatMap(languagesOf))].toSorted()).toEqual(['cjs', 'guard', 'none', 'py', 'sh'])
})

describe.each(tested)('%s', name => {
  /** By default one example of each language at both levels, and the others in the project. */
  it.each(oneOfEachLanguage.has(name) ? LEVELS : firstOf(LEVELS))(
    'works when installed with %s',
    level => {
      const project = join(base, name, level, 'shop')
      const home = join(base, name, level, 'home')
      mkdirSync(join(project, '.cursor'), { recursive: true })
      expect(outcome(project, home, 'init', level, '--example', name, '--yes')).toBe('ok')
      expect(outcome(project, home, 'check')).toBe('ok')
      expect(hookFiles(level === '--user' ? home : project)).toEqual(hookFiles(folderOf(name)))
      if (level === '--user') expect(testInstalled(name, home)).toBe('ok')
      expect(outcome(project, home, 'init', level, '--undo')).toBe('ok')
    },
    120_000,
  )
})
