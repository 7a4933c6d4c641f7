// Which file may import which. Each rule takes the files as text, so that tests can show that it detects violations.

import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { EVENT_NAMES } from '../../packages/hooks/src/protocol/events.js'
import { type Import, isTest, type Scanned, type SourceFile, scan } from './source.js'

export interface Finding {
  readonly file: string
  readonly line: number
  readonly problem: string
}

export interface Module {
  readonly path: string
  readonly package: string
  /** The folder under src, or '' for files in src itself. */
  readonly room: string
  readonly scanned: Scanned
}

export const toModule = ({ path, text }: SourceFile): Module => {
  const [, name = '', , ...rest] = path.split('/')
  return { path, package: name, room: rest.length > 1 ? rest[0]! : '', scanned: scan(text) }
}

const ROOMS: ReadonlySet<string> = new Set(['discover', 'plan', 'run', 'read', 'decide', 'record', 'enforce'])

/** What a stage of the engine may import from outside. All other modules of Node are allowed. */
interface Allowance {
  readonly packages: readonly string[]
  /** If present, only these modules of Node. */
  readonly builtins?: readonly string[]
}

const ALLOWANCES: Readonly<Record<string, Allowance>> = {
  protocol: { packages: ['valibot'], builtins: [] },
  config: { packages: ['valibot'] },
  discover: { packages: [] },
  plan: { packages: [], builtins: [] },
  run: { packages: ['valibot'] },
  read: { packages: ['valibot'], builtins: [] },
  decide: { packages: [], builtins: [] },
  record: { packages: [] },
  enforce: { packages: [], builtins: [] },
  team: { packages: [] },
  sdk: { packages: [] },
  testing: { packages: ['fast-check'] },
  bridges: { packages: [] },
  otel: { packages: ['@opentelemetry/api'], builtins: [] },
  '': { packages: [] },
}

/** The test kit uses the engine through its public entry point, like any other user. */
const FOR_TESTING: ReadonlySet<string> = new Set(['protocol', 'sdk', 'packages/hooks/src/index.ts'])

/** So do the bridges: the engine does not know other agents. */
const FOR_BRIDGES: ReadonlySet<string> = new Set(['protocol', 'packages/hooks/src/index.ts'])

/** So does the tracing: the engine does not import it. */
const FOR_OTEL: ReadonlySet<string> = new Set(['protocol', 'packages/hooks/src/index.ts'])

/** Files in src that several stages import: the lock of shared files, the time limit of patterns, shell words. */
const SHARED_FILES: Readonly<Record<string, readonly string[]>> = {
  'packages/hooks/src/lock.ts': ['discover', 'record', 'sdk', 'bridges', 'team'],
  'packages/hooks/src/shell.ts': ['discover', 'run', 'team'],
  'packages/hooks/src/watchdog.ts': ['discover', 'plan', 'bridges'],
}

/** Functions of a host may return SDK responses, and both render them the same way. */
const SHARED_WITH_SDK: ReadonlySet<string> = new Set([
  'packages/hooks/src/run/in-process.ts packages/hooks/src/sdk/render.ts',
  'packages/hooks/src/run/in-process.ts packages/hooks/src/sdk/responses.ts',
  'packages/hooks/src/sdk/render.ts packages/hooks/src/protocol/strictness.ts',
  'packages/hooks/src/given-hooks.ts packages/hooks/src/sdk/responses.ts',
])

/**
 * Loading: config/ reads files of any kind, team/ verifies and loads managed folders, discover/ loads all sources.
 * Bridges compare files with the pins of a session.
 */
const LOADING: Readonly<Record<string, readonly string[]>> = {
  discover: ['config', 'team'],
  team: ['config'],
  bridges: ['config'],
  '': ['config'],
}

const ONLY_IN_RUN = ['node:child_process', 'node:cluster', 'node:worker_threads']
const NOWHERE_IN_HOOKS = [
  'node:net',
  'node:http',
  'node:https',
  'node:http2',
  'node:tls',
  'node:dgram',
  'node:dns',
]

const isBuiltin = (name: string) => name.startsWith('node:') || builtinModules.includes(name)
const isRelative = (name: string) => name.startsWith('.')
const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** The file that a relative import means. */
const targetOf = (from: string, to: string) => posix.join(posix.dirname(from), to).replace(/\.js$/, '.ts')

const findings = (
  modules: readonly Module[],
  problemOf: (module: Module, one: Import) => string | undefined,
): Finding[] =>
  modules
    .filter(({ path }) => !isTest(path))
    .flatMap(module =>
      module.scanned.imports.flatMap(one => {
        const problem = problemOf(module, one)
        return problem ? [{ file: module.path, line: one.line, problem }] : []
      }),
    )

/** Stages do not import each other; the files above them connect them. protocol/ imports nothing. */
export const roomRule = (modules: readonly Module[]): Finding[] =>
  findings(
    modules.filter(module => module.package === 'hooks'),
    (module, { value, isType }) => {
      if (!isRelative(value)) return undefined
      const target = toModule({ path: targetOf(module.path, value), text: '' })
      if (target.package !== 'hooks' || target.room === module.room) return undefined
      if (SHARED_FILES[target.path]?.includes(module.room)) return undefined
      if (SHARED_WITH_SDK.has(`${module.path} ${target.path}`)) return undefined
      if (LOADING[module.room]?.includes(target.room)) return undefined
      // The start of a hook loads what the SDK imports: of protocol/ only types, which are erased.
      if (module.room === 'sdk' && !isType) return `sdk imports ${target.path} at run time`
      if (module.room === 'testing' && FOR_TESTING.has(target.room || target.path)) return undefined
      if (module.room === 'otel' && FOR_OTEL.has(target.room || target.path)) return undefined
      if (module.room === 'bridges' && FOR_BRIDGES.has(target.room || target.path)) return undefined
      if (module.room === '') {
        return ROOMS.has(target.room) || target.room === 'protocol'
          ? undefined
          : `src imports ${target.room}/`
      }
      if (module.room === 'protocol') return `protocol imports ${target.room || target.path}`
      return target.room === 'protocol'
        ? undefined
        : `the stage ${module.room} imports ${target.room || target.path}`
    },
  )

/** External packages are imported only by the stages that need them. */
export const outsideRule = (modules: readonly Module[]): Finding[] =>
  findings(
    modules.filter(module => module.package === 'hooks'),
    ({ room }, { value }) => {
      const allowed = ALLOWANCES[room]
      if (isRelative(value)) return undefined
      if (!allowed) return `there is no rule for the folder ${room}/`
      if (!isBuiltin(value)) {
        return allowed.packages.includes(packageOf(value)) ? undefined : `${room || 'src'} imports ${value}`
      }
      if (!value.startsWith('node:')) return `write node:${value}`
      if (NOWHERE_IN_HOOKS.includes(value)) return `the engine does not use ${value}`
      if (ONLY_IN_RUN.includes(value) && room !== 'run' && room !== 'sdk')
        return `${value} outside of run/ and sdk/`
      if (allowed.builtins && !allowed.builtins.includes(value)) return `${room} imports ${value}`
      return undefined
    },
  )

/** Only the public entry point reads the list of exports. */
export const engineRule = (modules: readonly Module[]): Finding[] =>
  findings(modules, (module, { value }) =>
    isRelative(value) &&
    targetOf(module.path, value) === 'packages/hooks/src/engine.ts' &&
    module.path !== 'packages/hooks/src/index.ts'
      ? 'only index.ts imports engine.ts'
      : undefined,
  )

/**
 * hosts → hooks; server → team, hooks; cli → hooks, and the others when they are needed. Never the other way, and
 * only through public entry points.
 */
const ARROWS: Readonly<Record<string, Readonly<Record<string, 'always' | 'dynamic'>>>> = {
  hooks: {},
  hosts: { '@holdfast/hooks': 'always' },
  team: { '@holdfast/hooks': 'always' },
  // Of the others only the messages, which pages and servers share.
  web: { '@holdfast/team': 'always' },
  server: { '@holdfast/hooks': 'always', '@holdfast/team': 'always', '@holdfast/web': 'always' },
  cli: {
    '@holdfast/hooks': 'always',
    // Only in guards/, which is a separate bundle.
    '@holdfast/guards': 'always',
    '@holdfast/hosts': 'dynamic',
    '@holdfast/server': 'dynamic',
    '@holdfast/team': 'dynamic',
    // Only in ui/, which is a separate bundle.
    '@holdfast/web': 'always',
  },
}

export const packageRule = (
  modules: readonly Module[],
  dependencies: Readonly<Record<string, readonly string[]>>,
): Finding[] =>
  findings(modules, (module, { value, isDynamic, isType }) => {
    if (isRelative(value)) {
      const target = targetOf(module.path, value)
      const own = `packages/${module.package}/`
      const isInside = target.startsWith(`${own}src/`) || target === `${own}package.json`
      return isInside ? undefined : `leaves its package: ${value}`
    }
    if (isBuiltin(value)) return undefined
    const name = packageOf(value)
    if (!dependencies[module.package]?.includes(name)) return `${name} is not in package.json`
    if (!name.startsWith('@holdfast/')) return undefined
    const arrow = ARROWS[module.package]?.[name]
    if (!arrow) return `${module.package} must not import ${name}`
    // Types are erased: they load nothing at run time.
    return arrow === 'dynamic' && !isDynamic && !isType ? `${name} only by import()` : undefined
  })

const NO_NAMES = /^(utils?|helpers?|misc|common|shared|lib)\b/

export const nameRule = (modules: readonly Module[]): Finding[] =>
  modules
    .filter(({ path }) =>
      path
        .split('/')
        .slice(3)
        .some(part => NO_NAMES.test(part)),
    )
    .map(({ path }) => ({ file: path, line: 1, problem: 'a name that says nothing about its content' }))

/** Each cycle once, as its path. Types are erased at run time, so they close no cycle. */
export function cycleRule(modules: readonly Module[]): Finding[] {
  const byPath = new Map(modules.filter(({ path }) => !isTest(path)).map(module => [module.path, module]))
  const state = new Map<string, 'open' | 'done'>()
  const found: Finding[] = []
  const visit = (path: string, way: readonly string[]) => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      const circle = [...way.slice(way.indexOf(path)), path].map(step => posix.basename(step))
      found.push({ file: path, line: 1, problem: `imports in a circle: ${circle.join(' → ')}` })
      return
    }
    state.set(path, 'open')
    for (const { value, isType } of byPath.get(path)?.scanned.imports ?? []) {
      const target = isRelative(value) && !isType ? targetOf(path, value) : ''
      if (byPath.has(target)) visit(target, [...way, path])
    }
    state.set(path, 'done')
  }
  for (const path of byPath.keys()) visit(path, [])
  return found
}

/** Database clients, and the words that begin a query. */
const DATABASES: ReadonlySet<string> = new Set(['kysely', 'pg', 'libsql'])
const QUERIES: ReadonlySet<string> = new Set([
  'selectFrom',
  'selectNoFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
])

/** SQL of the server belongs in its store, one file for each aggregate. */
export const sqlRule = (modules: readonly Module[]): Finding[] =>
  modules
    .filter(({ path, package: name, room }) => name === 'server' && room !== 'store' && !isTest(path))
    .flatMap(({ path, scanned }) => {
      const client = scanned.imports.find(({ value }) => DATABASES.has(packageOf(value)))
      const found = client ?? scanned.words.find(({ value }) => QUERIES.has(value))
      return found ? [{ file: path, line: found.line, problem: `SQL outside store/: ${found.value}` }] : []
    })

/** Folders of a package that import each other, directly or indirectly; types count as well. */
export function folderRule(modules: readonly Module[]): Finding[] {
  const edges = new Map<string, Map<string, Finding>>()
  for (const module of modules) {
    if (isTest(module.path) || module.room === '') continue
    const from = `${module.package}/${module.room}`
    for (const { value, line } of module.scanned.imports) {
      const target = isRelative(value) && toModule({ path: targetOf(module.path, value), text: '' })
      if (!target || target.package !== module.package) continue
      if (target.room === '' || target.room === module.room) continue
      const to = `${target.package}/${target.room}`
      const targets = edges.get(from) ?? new Map<string, Finding>()
      edges.set(from, targets)
      if (!targets.has(to)) targets.set(to, { file: module.path, line, problem: to })
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from)?.keys() ?? [])].some(
      next => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reaches(to, from))
      .map(([to, { file, line }]) => ({ file, line, problem: `${from} → ${to}, which imports it in turn` })),
  )
}

export interface Exception {
  readonly file: string
  readonly names: readonly string[]
  readonly reason: string
}

/** `stop` is also an everyday word, so only strings count. */
const EVERYDAY: ReadonlySet<string> = new Set(['stop'])
const KNOWN: ReadonlySet<string> = new Set(EVENT_NAMES)

/** The name of an event outside of the table indicates a missing column. */
export function eventNameRule(
  modules: readonly Module[],
  exceptions: readonly Exception[],
): { findings: Finding[]; unused: Exception[] } {
  const used = new Set<Exception>()
  const found = modules
    .filter(
      ({ path }) =>
        !isTest(path) &&
        !/^packages\/hooks\/src\/(protocol\/|bridges\/|discover\/claude|sdk\/rows\.ts)/.test(path),
    )
    .flatMap(({ path, scanned }) =>
      [...scanned.strings, ...scanned.words.filter(({ value }) => !EVERYDAY.has(value))]
        .filter(({ value }) => KNOWN.has(value))
        .filter(({ value }) => {
          const exception = exceptions.find(({ file, names }) => file === path && names.includes(value))
          if (exception) used.add(exception)
          return !exception
        })
        .map(({ value, line }) => ({ file: path, line, problem: `the event ${value} by name` })),
    )
  return { findings: found, unused: exceptions.filter(exception => !used.has(exception)) }
}
