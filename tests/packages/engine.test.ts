// The packed engine as users install it: every export can be imported and required, with types that fit.

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOf } from '../scope.js'
import { entriesOf, manifestOf, Project } from './packed.js'

const entries = entriesOf(manifestOf('hooks'))
const OTEL = '@opentelemetry/api'

let project: Project
let unlinkOtel: () => void

beforeAll(() => {
  project = new Project(['hooks'])
  for (const name of ['@types/node', 'undici-types', 'fast-check']) project.link(name)
  unlinkOtel = project.link(OTEL)
})
afterAll(() => project.close())

describe('the packed engine', () => {
  it('has types that agree with what is loaded', async () => {
    const result = await checkPackage(createPackageFromTarballData(project.tarball('hooks')))
    expect(result.types).toBeTruthy()
    const problems = 'problems' in result ? result.problems : []
    // The oldest resolution ignores exports, so it finds the main entry only.
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
    const required = project.run(
      'required.cjs',
      `const all = ${JSON.stringify(entries)}.map(name => [name, require(name)])
process.stdout.write(JSON.stringify(${names}))`,
    )
    const imported = project.run(
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
    expect(project.run('one.cjs', `${loads};(async () => {${script}})()`)).toEqual(expected)
    const imports = `import { createRequire } from 'node:module'
      const load = name => import(name); const loadOther = async name => createRequire(import.meta.url)(name)`
    expect(project.run('one.mjs', `${imports};${script}`)).toEqual(expected)
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
    expect(project.run('with.cjs', script)).toEqual([false, true, null])
    unlinkOtel()
    try {
      expect(project.run('without.cjs', script)).toEqual([false, false, `Cannot find module '${OTEL}'`])
    } finally {
      unlinkOtel = project.link(OTEL)
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
    const files = { 'user.mts': USER, 'user.cts': USER }
    const options = { module: 'Node16', moduleResolution: 'Node16', lib: ['ES2022'], skipLibCheck: false }
    expect(project.typeProblems(files, options, compiler)).toEqual([])
  })
})
