// Every example as a person meets it: as it stands, and installed into a project and for a person.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { filesUnder, root } from '../architecture/source.js'

const bin = join(root, 'packages/cli/bin/holdfast.cjs')
const examples = readdirSync(join(root, 'examples')).filter(name =>
  existsSync(join(root, 'examples', name, '.cursor/hooks.json')),
)
const tested = examples.filter(name => name !== 'tour')

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-examples-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** In a folder, with a home of its own; the output only when the exit code is another. */
function holdfast(cwd: string, home: string, ...args: string[]): string {
  mkdirSync(home, { recursive: true })
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, HOME: home, NO_COLOR: '1' },
  })
  return status === 0 ? 'ok' : `exit ${status}\n${stdout}${stderr}`
}

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

const hooksText = (name: string) => readFileSync(join(root, 'examples', name, '.cursor/hooks.json'), 'utf8')

describe('examples', () => {
  it('are there, and all in the list', () => {
    expect(tested.length).toBeGreaterThan(12)
    const list = readFileSync(join(root, 'examples/README.md'), 'utf8')
    expect(examples.filter(name => !list.includes(`(${name}/README.md)`))).toEqual([])
  })
})

describe.each(tested)('%s', name => {
  const folder = join(root, 'examples', name)
  const home = join(base, name, 'home')

  it('is in order', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bin, 'check', '--json', '--trust-all', '--home', home],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    expect(`${status} ${stderr}`).toBe('0 ')
    expect((JSON.parse(stdout) as { issues: unknown[] }).issues).toEqual([])
    expect(existsSync(join(folder, 'README.md'))).toBe(true)
  })

  it('passes its cases', () => expect(holdfast(folder, home, 'test')).toBe('ok'), 120_000)

  const hasTypeScript = filesUnder(`examples/${name}`, path => path.endsWith('.ts')).some(({ path }) =>
    path.includes('/.cursor/hooks/'),
  )
  if (hasTypeScript) {
    it('is built from its source', () => expect(holdfast(folder, home, 'build', '--check')).toBe('ok'))
  }

  const library = filesUnder(`examples/${name}`, path => path.includes('/.cursor/hooks/holdfast_hooks/'))
  if (library.length > 0) {
    it('has the Python library as it is', () => {
      const isSource = (path: string) => !path.includes('__pycache__')
      const texts = (files: typeof library, base: string) =>
        Object.fromEntries(
          files.filter(({ path }) => isSource(path)).map(({ path, text }) => [path.replace(base, ''), text]),
        )
      const own = filesUnder('python/holdfast_hooks', () => true)
      expect(texts(library, `examples/${name}/.cursor/hooks/holdfast_hooks/`)).toEqual(
        texts(own, 'python/holdfast_hooks/'),
      )
    })
  }

  it.each(['--project', '--user'])(
    'works when installed with %s',
    level => {
      const project = join(base, name, level, 'shop')
      const own = join(base, name, level, 'home')
      mkdirSync(join(project, '.cursor'), { recursive: true })
      expect(holdfast(project, own, 'init', level, '--example', name, '--yes')).toBe('ok')
      expect(holdfast(project, own, 'check')).toBe('ok')
      // In a project everything is as it stands here, where the cases have just passed.
      if (level === '--user') expect(holdfast(join(own, '.cursor'), own, 'test')).toBe('ok')
      else expect(hookFiles(project)).toEqual(hookFiles(folder))
      expect(holdfast(project, own, 'init', level, '--undo')).toBe('ok')
    },
    120_000,
  )

  it('can be read as JSON by any editor', () => {
    expect(() => JSON.parse(hooksText(name)) as unknown).not.toThrow()
  })
})
