// The packed engine as users install it: every export can be imported and required, with types that fit.

import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { firstOf } from '../scope.js'

const manifest = JSON.parse(readFileSync(join(root, 'packages/hooks/package.json'), 'utf8')) as {
  exports: Record<string, string | object>
}
const entries = Object.entries(manifest.exports).flatMap(([name, value]) =>
  typeof value === 'string' ? [] : [`@holdfast/hooks${name.slice(1)}`],
)

let folder: string
let tarball: string

/** Runs a program with this Node in the folder of the user; returns what it prints. */
function node(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect(`${status} ${stderr}`).toBe('0 ')
  return stdout
}

const runScript = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return JSON.parse(node(['--no-experimental-require-module', name])) as unknown
}

function link(name: string): () => void {
  const path = join(folder, 'node_modules', name)
  mkdirSync(join(path, '..'), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), path)
  return () => rmSync(path)
}

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-packed-')))
  const cwd = join(root, 'packages/hooks')
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd,
    encoding: 'utf8',
  })
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  tarball = join(folder, filename)
  const installed = join(folder, 'node_modules/@holdfast/hooks')
  mkdirSync(installed, { recursive: true })
  expect(spawnSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1']).status).toBe(0)
  for (const name of ['valibot', '@types/node', 'undici-types', 'fast-check', '@opentelemetry/api'])
    link(name)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the packed engine', () => {
  it('has types that agree with what is loaded', async () => {
    const data = new Uint8Array(readFileSync(tarball))
    const result = await checkPackage(createPackageFromTarballData(data))
    expect(result.types).toBeTruthy()
    const problems = 'problems' in result ? result.problems : []
    // The oldest resolution knows no exports, so it finds the main entry only.
    const other = problems.filter(
      problem =>
        !(
          problem.kind === 'NoResolution' &&
          problem.resolutionKind === 'node10' &&
          problem.entrypoint !== '.'
        ),
    )
    expect(other).toEqual([])
  })

  it('gives the same names to require and to import', () => {
    const names = `Object.fromEntries(all.map(([name, module]) => [name, Object.keys(module).filter(key => key !== 'default').sort()]))`
    const required = runScript(
      'required.cjs',
      `const all = ${JSON.stringify(entries)}.map(name => [name, require(name)])
process.stdout.write(JSON.stringify(${names}))`,
    )
    const imported = runScript(
      'imported.mjs',
      `const all = await Promise.all(${JSON.stringify(entries)}.map(async name => [name, await import(name)]))
process.stdout.write(JSON.stringify(${names}))`,
    )
    expect(entries).toHaveLength(7)
    expect(required).toEqual(imported)
    expect(Object.values(required as object).every(each => each.length > 0)).toBe(true)
  })

  it('has one copy of its classes in each module system, and isInstance works across them', () => {
    const script = `
      const { HooksError, HookBlockedError, openHooks } = await load('@holdfast/hooks')
      const { hooksJson } = await load('@holdfast/hooks/testing')
      const { deny } = await load('@holdfast/hooks/sdk')
      const other = await loadOther('@holdfast/hooks')
      const wrong = (() => { try { hooksJson('/nowhere/at/all') } catch (error) { return error } })()
      const hooks = await openHooks({ workspaceRoots: [], home: process.cwd(), watch: false, trustAll: true })
      hooks.register({ event: 'beforeShellExecution', run: () => deny('No.') })
      const blocked = await hooks.guard('beforeShellExecution', { command: 'ls' }).catch(error => error)
      await hooks.close()
      process.stdout.write(JSON.stringify([
        wrong instanceof HooksError,
        blocked instanceof HookBlockedError,
        blocked instanceof other.HookBlockedError,
        other.HookBlockedError.isInstance(blocked),
      ]))`
    const expected = [true, true, false, true]
    const loads = `const load = async name => require(name); const loadOther = name => import(name)`
    expect(runScript('one.cjs', `${loads};(async () => {${script}})()`)).toEqual(expected)
    const imports = `import { createRequire } from 'node:module'
      const load = name => import(name); const loadOther = async name => createRequire(import.meta.url)(name)`
    expect(runScript('one.mjs', `${imports};${script}`)).toEqual(expected)
  })

  it('loads nothing of OpenTelemetry until it is asked to, and names it when it is missing', () => {
    const others = entries.filter(name => !name.endsWith('/otel'))
    const script = `
      for (const name of ${JSON.stringify(others)}) require(name)
      const isLoaded = () => Object.keys(require.cache).some(file => file.includes('opentelemetry'))
      const before = isLoaded()
      let problem = null
      try { require('@holdfast/hooks/otel') } catch (error) { problem = error.message.split('\\n')[0] }
      process.stdout.write(JSON.stringify([before, isLoaded(), problem]))`
    expect(runScript('with.cjs', script)).toEqual([false, true, null])
    rmSync(join(folder, 'node_modules/@opentelemetry/api'))
    try {
      expect(runScript('without.cjs', script)).toEqual([
        false,
        false,
        "Cannot find module '@opentelemetry/api'",
      ])
    } finally {
      link('@opentelemetry/api')
    }
  })
})

const USER = `
import { HookBlockedError, type Hooks, openHooks, type Verdict } from '@holdfast/hooks'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { deny, hook } from '@holdfast/hooks/sdk'
import { given } from '@holdfast/hooks/testing'
import { BRIDGES } from '@holdfast/hooks/bridges'
import { traceHooks } from '@holdfast/hooks/otel'
import * as team from '@holdfast/hooks/team'

export async function use(): Promise<Verdict> {
  await using hooks: Hooks = await openHooks({ workspaceRoots: [] })
  traceHooks(hooks)
  hooks.register({ event: 'beforeShellExecution', run: ({ command }) => (command === '' ? deny('No.') : undefined) })
  // @ts-expect-error misspelt
  hooks.register({ event: 'beforeShellExecution', run: () => ({ permision: 'deny', user_message: 'No.' }) })
  try {
    await hooks.guard('beforeShellExecution', { command: 'ls' })
  } catch (error) {
    if (error instanceof HookBlockedError) return error.verdict
  }
  return given('stop').at(hook({ stop: () => undefined })) as never
}
export const all = [EVENT_NAMES, BRIDGES, team]
`

describe('the types of the packed engine', () => {
  /** The compiler of this repository; in all tests also a much older one, which takes ten times as long. */
  const compilers = firstOf(['typescript', '@arethetypeswrong/core/node_modules/typescript'])

  it.each(compilers)('compile for modules and for CommonJS, libraries checked: %s', compiler => {
    for (const name of ['user.mts', 'user.cts']) writeFileSync(join(folder, name), USER)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022'],
      module: 'Node16',
      moduleResolution: 'Node16',
      types: ['node'],
      skipLibCheck: false,
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['user.mts', 'user.cts'] }),
    )
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    })
    // Only what concerns this package: other libraries have problems of their own.
    expect(stdout.split('\n').filter(line => /^(user|node_modules\/@holdfast)/.test(line))).toEqual([])
  })
})
