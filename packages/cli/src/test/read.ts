// One test file: text → cases, or problems with their places.

import { PROFILE_NAMES, type ProfileName } from '@holdfast/hooks/protocol'
import { isScalar } from 'yaml'
import { LEVELS, type Setting, type Step, type TestCase, type TestFile, versionsNamed } from './cases.js'
import { insidePath } from './paths.js'
import { NOTHING, readSetting } from './setting.js'
import { EVENT_KEYS, readEvent, readSteps } from './steps.js'
import { TestSource, type Tree } from './yaml.js'

const FILE_KEYS = ['hooks', 'about', 'level', 'env', 'files', 'copy', 'model says', 'cases']
const CASE_KEYS = ['name', 'profile', 'profiles', 'session', 'env', 'files', ...EVENT_KEYS]

/** Finds the hooks of a test file; undefined if there are none. A string is a problem. */
export type FindHooks = (named: string | undefined) => { file: string } | { problem: string }

export function readTestFile(file: string, text: string, findHooks: FindHooks): TestFile {
  const source = new TestSource(text)
  const empty = { file, hooks: '', level: undefined, copy: [], cases: [] }
  if (source.problems.length > 0) return { ...empty, problems: source.problems }
  if (source.isNull(source.root)) {
    source.complain(source.root, 'The file is empty. Start with "cases:" and a list of cases.')
    return { ...empty, problems: source.problems }
  }
  const top = source.keyed(source.root, 'The file', FILE_KEYS)
  if (!top) return { ...empty, problems: source.problems }
  const setting = readSetting(source, top.get('env'), top.get('files'), top.get('model says'), NOTHING)
  const copy = top.has('copy') ? readCopy(source, top.get('copy')) : []
  const level = top.has('level') ? source.word(top.get('level'), 'level', LEVELS) : undefined
  const named = top.has('hooks') ? source.text(top.get('hooks'), 'hooks') : undefined
  const hooks = findHooks(named)
  if ('problem' in hooks) source.complain(top.get('hooks') ?? top.node, hooks.problem)
  const list = top.has('cases') ? source.list(top.get('cases'), 'cases') : undefined
  if (!top.has('cases') && !top.isStrange) source.complain(top.node, 'The file has no "cases:".')
  if (list?.length === 0) source.complain(top.get('cases'), 'cases is an empty list.')
  const about = top.has('about') ? readAbout(source, top.get('about')) : []
  const cases = (list ?? []).flatMap(node => readCase(source, node, setting, about) ?? [])
  sameNames(source, cases, list ?? [])
  const { problems } = source
  return { ...empty, problems, hooks: 'file' in hooks ? hooks.file : '', level, copy, cases }
}

const readCopy = (source: TestSource, node: Tree): TestFile['copy'] =>
  (source.list(node, 'copy') ?? []).flatMap(item => {
    const text = source.text(item, 'An item of copy')
    const path = text === undefined ? undefined : insidePath(source, item, text)
    return path === undefined ? [] : [{ path, ...source.place(item) }]
  })

function readAbout(source: TestSource, node: Tree): readonly string[] {
  const nodes = isScalar(source.real(node)) ? [node] : (source.list(node, 'about') ?? [])
  return nodes.flatMap(item => {
    const text = source.text(item, 'about')
    if (text?.trim() === '') source.complain(item, 'about is empty. Name a part of the command of a hook.')
    return text === undefined ? [] : [text]
  })
}

function readCase(
  source: TestSource,
  node: Tree,
  around: Setting,
  about: readonly string[],
): TestCase | undefined {
  const mapping = source.keyed(node, 'A case', CASE_KEYS)
  if (!mapping) return undefined
  const name = mapping.has('name') ? source.text(mapping.get('name'), 'name')?.trim() : undefined
  if (!mapping.has('name') && !mapping.isStrange) source.complain(node, 'This case has no "name:".')
  if (name === '') source.complain(mapping.get('name'), 'The name is empty.')
  const setting = readSetting(
    source,
    mapping.get('env'),
    mapping.get('files'),
    mapping.get('model says'),
    around,
  )
  const isSession = mapping.has('session')
  if (isSession) {
    for (const key of EVENT_KEYS) {
      if (key !== 'model says' && mapping.has(key))
        source.complain(mapping.key(key), `"${key}" belongs in a step of the session.`)
    }
  }
  let steps: readonly Step[] = []
  if (isSession) steps = readSteps(source, mapping.get('session'), 'session')
  else {
    if (!mapping.has('expect') && mapping.has('event') && !mapping.isStrange)
      source.complain(node, 'This case has no "expect:", so nothing could fail.')
    steps = [readEvent(source, mapping, 'event')].filter(step => step !== undefined)
    // A step of a session may have no expectation; a case must have one.
    if (steps.some(step => 'event' in step && Object.entries(step.expect).join() === 'failed,any'))
      source.complain(
        mapping.get('expect'),
        '"failed: any" checks nothing, so nothing could fail. Add another expectation.',
      )
  }
  const profiles = readProfiles(source, mapping.get('profiles') ?? mapping.get('profile'))
  const { line, column } = source.place(node)
  const all = profiles ?? alsoNamed(steps)
  return { name: name ?? '', line, column, profiles: all, setting, about, isSession, steps }
}

/** A case with expectations for a version runs in it. */
function alsoNamed(steps: readonly Step[]): readonly ProfileName[] | undefined {
  const named = versionsNamed(steps)
  return named.length > 0 ? [...new Set<ProfileName>(['holdfast', ...named])] : undefined
}

function readProfiles(source: TestSource, node: Tree): readonly ProfileName[] | undefined {
  if (source.isNull(node)) return undefined
  const words = ['all', ...PROFILE_NAMES] as const
  const nodes = isScalar(source.real(node)) ? [node] : (source.list(node, 'profiles') ?? [])
  const names = nodes.flatMap(item => source.word(item, 'profile', words) ?? [])
  const all = names.includes('all') ? PROFILE_NAMES : (names as ProfileName[])
  return all.length > 0 ? [...new Set(all)] : undefined
}

function sameNames(source: TestSource, cases: readonly TestCase[], nodes: readonly Tree[]): void {
  const seen = new Set<string>()
  cases.forEach(({ name }, index) => {
    if (name !== '' && seen.has(name))
      source.complain(nodes[index], `Two cases have the name ${JSON.stringify(name)}.`)
    seen.add(name)
  })
}
