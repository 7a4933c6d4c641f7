// Every package as it is published: its description, its entry points, and only the dependencies that it declares.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { entriesOf, manifestOf, PACKAGES, Project } from './packed.js'

let project: Project
beforeAll(() => {
  project = new Project(PACKAGES)
})
afterAll(() => project.close())

describe.each(PACKAGES)('the package %s', name => {
  const manifest = manifestOf(name)

  it('can be published and found', () => {
    const { version } = manifestOf('cli')
    expect(manifest).toMatchObject({
      version,
      license: 'MIT',
      engines: { node: expect.stringMatching(/^>=20/) },
      repository: { type: 'git', directory: `packages/${name}` },
      homepage: expect.stringMatching(/^https:/),
      bugs: { url: expect.stringMatching(/^https:/) },
      keywords: expect.arrayContaining(['hooks']),
      publishConfig: { access: 'public', provenance: true },
      scripts: { prepack: 'node ../../scripts/prepack.mjs' },
    })
    expect(manifest.private).toBeUndefined()
    const own = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
    for (const [dependency, range] of own)
      if (dependency.startsWith('@holdfast/')) expect(range).toBe(version)
  })

  it('has a page and the notices of the code that it contains', () => {
    const installed = project.installed(name)
    expect(readFileSync(join(installed, 'README.md'), 'utf8').length).toBeGreaterThan(300)
    const notices = join(installed, 'dist/THIRD-PARTY-NOTICES.txt')
    if (existsSync(notices)) expect(readFileSync(notices, 'utf8')).toMatch(/MIT|Apache|ISC/)
    // Their bundles contain no code of others: all of it is in dependencies.
    else expect(['guards', 'hosts', 'web']).toContain(name)
  })

  it('has no finding of publint', async () => {
    const { messages } = await publint({ pkgDir: project.installed(name), pack: false, strict: true })
    const texts = messages.map(message => formatMessage(message, manifest as never, { color: false }))
    expect(texts).toEqual([])
  })

  it.skipIf(entriesOf(manifest).length === 0)('has types for every entry point', async () => {
    const result = await checkPackage(createPackageFromTarballData(project.tarball(name)))
    const problems = 'problems' in result ? result.problems : [{ kind: 'no types' }]
    // The engine is checked for require in engine.test.ts; the other packages are modules only, and their pages say
    // so.
    const kinds = problems
      .map(({ kind }) => kind)
      .filter(kind => !/^(NoResolution|CJSResolvesToESM)$/.test(kind))
    expect(kinds).toEqual([])
  })
})

it('entry points load with the declared dependencies only', () => {
  const entries = PACKAGES.flatMap(name => entriesOf(manifestOf(name)))
  const loaded = project.run(
    'all.mjs',
    `const results = {}
for (const name of ${JSON.stringify(entries)})
  results[name] = await import(name).then(module => Object.keys(module).length > 0, error => error.message)
process.stdout.write(JSON.stringify(results))`,
  ) as Record<string, unknown>
  const failed = Object.entries(loaded).filter(([, result]) => result !== true)
  // Each needs an optional peer, and its page says so.
  expect(Object.fromEntries(failed)).toEqual({
    '@holdfast/hooks/otel': expect.stringContaining("'@opentelemetry/api'"),
    '@holdfast/hosts/ai-sdk': expect.stringContaining("'ai'"),
  })
  expect(Object.keys(loaded).length).toBeGreaterThan(15)
})

it('every guard of the package judges a command', () => {
  const judged = project.run(
    'guards.mjs',
    `import { GUARDS, withDefaults } from '@holdfast/guards'
const payload = { hook_event_name: 'beforeShellExecution', command: 'kubectl delete ns prod', cwd: process.cwd() }
const place = { root: process.cwd(), cwd: process.cwd(), home: process.cwd() }
const judged = {}
for (const guard of GUARDS)
  judged[guard.name] = (await guard.judge(payload, withDefaults(guard, {}), place)).findings.length
process.stdout.write(JSON.stringify(judged))`,
  ) as Record<string, number>
  expect(judged.kubernetes).toBeGreaterThan(0)
  expect(Object.keys(judged).length).toBeGreaterThanOrEqual(12)
})

describe('the types of all packages', () => {
  const optional = ['ai', '@opentelemetry/api', 'fast-check', '@modelcontextprotocol/client']
  let unlink: (() => void)[]
  beforeAll(() => {
    unlink = [...optional, '@types/node', 'undici-types'].map(name => project.link(name, 'hosts'))
  })
  afterAll(() => {
    for (const remove of unlink) remove()
  })

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('compile with module %s, resolution %s', (module, moduleResolution) => {
    const entries = PACKAGES.flatMap(name => entriesOf(manifestOf(name)))
    const text = entries.map((name, index) => `import * as m${index} from '${name}'`)
    const used = `export const all = [${entries.map((_, index) => `m${index}`).join(', ')}]\n`
    const files = { 'user.mts': [...text, used].join('\n') }
    expect(project.typeProblems(files, { module, moduleResolution, skipLibCheck: true })).toEqual([])
  })
})

describe('the command from its package', () => {
  const holdfast = (...args: string[]) => {
    const bin = join(project.installed('cli'), manifestOf('cli').bin!.holdfast!)
    const { status, stdout, stderr } = project.node([bin, ...args], {
      HOME: project.folder,
    })
    return { status, text: stdout + stderr }
  }

  it('shows its version and fires an event', () => {
    expect(holdfast('--version')).toMatchObject({
      status: 0,
      text: `holdfast ${manifestOf('cli').version}\n`,
    })
    const fired = holdfast('fire', 'beforeShellExecution', '--command', 'ls')
    expect(fired).toMatchObject({ status: 0, text: expect.stringContaining('no hooks for this event') })
  })

  it('names the command that installs what it lacks', () => {
    const source = join(project.folder, 'guard.ts')
    writeFileSync(source, `import { hook } from '@holdfast/hooks/sdk'\nexport default hook({})\n`)
    expect(holdfast('build', source)).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^holdfast build needs esbuild\. Install it: npm install esbuild@0\.28\n$/),
    })
  })
})

it('stays small: the engine below 2 MB, the command with its dependencies below 60 MB', () => {
  const installed = ['hooks', 'hosts', 'team', 'web', 'cli'] as const
  const own = Object.fromEntries(installed.map(name => [name, sizeOf(project.installed(name))]))
  expect(own.hooks).toBeLessThan(2e6)
  const others = new Set(installed.flatMap(name => Object.keys(manifestOf(name).dependencies ?? {})))
  const libraries = [...others]
    .filter(name => !name.startsWith('@holdfast/'))
    .map(name => join(root, 'node_modules', name))
  const total = [...Object.values(own), ...libraries.map(sizeOf)].reduce((sum, size) => sum + size, 0)
  expect(total).toBeLessThan(60e6)
})

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
