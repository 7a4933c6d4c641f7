// One call of kubectl, oc or helm: its verb, its cluster, and what it sends.

import { readFileSync } from 'node:fs'
import { delimiter, join, resolve, sep } from 'node:path'
import { parse } from 'yaml'
import { type Finding, findingOf, fitsAny, listOf, type Options, type Place } from '../guard.js'
import type { Call, Word } from '../shell/index.js'
import { ALTERNATIVES } from './alternatives.js'
import { readKustomization } from './kustomize.js'
import { type Manifests, none, readFilename, readText } from './manifests.js'
import { judge } from './rules.js'
import { CHANGES, ENTERS, type KubectlCall, readWords } from './words.js'

const finding = findingOf(ALTERNATIVES)

export interface CallJudgement {
  readonly findings: readonly Finding[]
  /** What is not known before it runs. */
  readonly unknown: readonly string[]
}

/** `before` are the calls that run earlier in the same command. */
export function ofCall(
  call: Call,
  words: readonly Word[],
  before: readonly Call[],
  options: Options,
  place: Place,
): CallJudgement {
  const kubectl = readWords(words)
  const { verb, isVerbKnown, names, flags } = kubectl
  if (!isVerbKnown) return { findings: [], unknown: [`what ${call.name} does`] }
  const last = (flag: string) => flags.get(flag)?.at(-1)?.text ?? ''
  if (/^(?:client|server|true)$/.test(last('--dry-run'))) return { findings: [], unknown: [] }
  const findings: Finding[] = []
  const say = `"${call.name} ${verb}"`
  if (/^(?:delete|uninstall|drain)$/.test(verb))
    findings.push(finding('kubernetes/delete', `${say} removes what runs in the cluster.`))
  if (flags.has('--prune'))
    findings.push(finding('kubernetes/delete', '--prune deletes what the manifests do not name.', 'ask'))
  const showsValues = flags.has('--output') && !/^(?:name|wide)$/.test(last('--output'))
  if (verb === 'get' && /^secrets?(?:[/.,]|$)/.test(names[0]?.text ?? '') && showsValues)
    findings.push(finding('kubernetes/secret', 'It shows the values of secrets.'))
  if (ENTERS.has(verb))
    findings.push(finding('kubernetes/access', `${say} goes into a running workload.`, 'ask'))
  if (!CHANGES.has(verb) || (verb === 'auth' && names[0]?.text !== 'reconcile'))
    return { findings, unknown: [] }
  findings.push(...ofRights(kubectl))
  const { found, unknown } = ofTarget(call, kubectl, before, options, place)
  findings.push(...found)
  if (!/^(?:apply|create|replace|patch|run|auth)$/.test(verb) || call.name === 'helm')
    return { findings, unknown }
  const sent = manifestsOf(call, kubectl, before, place)
  const problems = [
    ...sent.manifests.problems,
    ...sent.manifests.documents.flatMap(document => judge(document, listOf(options, 'protected'))),
  ]
  for (const { verdict, what } of problems) findings.push(finding('kubernetes/manifest', `${what}.`, verdict))
  return { findings, unknown: [...unknown, ...sent.unknown] }
}

/** Rights and secrets that the words give without a manifest. */
function ofRights({ verb, names, flags }: KubectlCall): Finding[] {
  const found: Finding[] = []
  const [kind, ...rest] = names.map(({ text }) => text)
  const values = [...flags.values()].flat().map(({ text }) => text)
  if ([...rest, ...values].includes('cluster-admin'))
    found.push(finding('kubernetes/manifest', 'It grants cluster-admin.'))
  else if (verb === 'create' && /^clusterrole(?:binding)?$/.test(kind ?? ''))
    found.push(finding('kubernetes/manifest', 'It grants rights in the entire cluster.', 'ask'))
  if (
    verb === 'create' &&
    /^secrets?$/.test(kind ?? '') &&
    (flags.has('--from-literal') || flags.has('--docker-password'))
  )
    found.push(finding('kubernetes/manifest', 'The command has a secret in plain text.'))
  if (flags.get('--privileged')?.at(-1)?.text === 'true')
    found.push(finding('kubernetes/manifest', 'It starts a privileged container.'))
  return found
}

/** The cluster and the namespace that a change goes to. */
function ofTarget(
  call: Call,
  { verb, names, flags }: KubectlCall,
  before: readonly Call[],
  options: Options,
  place: Place,
): { found: Finding[]; unknown: string[] } {
  const valuesOf = (...all: string[]) => all.flatMap(flag => flags.get(flag) ?? [])
  const contexts = valuesOf('--context', '--kube-context', '--cluster')
  const others = valuesOf('--namespace', '--kubeconfig', '--server')
  if ([...contexts, ...others].some(({ isKnown }) => !isKnown))
    return { found: [], unknown: [`the cluster or namespace that ${call.name} ${verb} changes`] }
  const config = call.assignments.find(text => text.startsWith('KUBECONFIG='))?.slice('KUBECONFIG='.length)
  const named = contexts.map(({ text }) => text)
  if (verb === 'config') named.push(...names.slice(1).map(({ text }) => text))
  else if (named.length === 0) {
    const switched = before.flatMap(contextThatItSelects).at(-1)
    const files = (last(valuesOf('--kubeconfig')) ?? config ?? process.env.KUBECONFIG ?? '').split(delimiter)
    const current = switched ?? currentContext(files, call.cwd ?? place.cwd, place.home)
    if (current !== undefined) named.push(current)
  }
  const allowed = listOf(options, 'contexts')
  const outside = allowed.length > 0 ? named.find(one => !fitsAny(allowed, one)) : undefined
  const places = [...named, ...others.map(({ text }) => text), ...(config === undefined ? [] : [config])]
  const hit = outside ?? places.find(one => fitsAny(listOf(options, 'protected'), one))
  if (hit !== undefined)
    return { found: [finding('kubernetes/context', `It changes "${hit}".`, 'ask')], unknown: [] }
  const isOpen = allowed.length > 0 && named.length === 0 && verb !== 'config'
  return { found: [], unknown: isOpen ? [`the context that ${call.name} ${verb} changes`] : [] }
}

const last = (words: readonly Word[]): string | undefined => words.at(-1)?.text

function contextThatItSelects({ name, args }: Call): string[] {
  const { verb, names } = readWords(args)
  const [action, context] = names.map(({ text }) => text)
  return /^(?:kubectl|oc)$/.test(name) && verb === 'config' && action === 'use-context' && context
    ? [context]
    : []
}

/** The context that kubectl uses by itself. The first file that names one counts. */
function currentContext(files: readonly string[], cwd: string, home: string): string | undefined {
  const named = files.filter(file => file !== '').map(file => resolve(cwd, file.replace(/^~(?=\/)/, home)))
  for (const file of named.length > 0 ? named : [join(home, '.kube', 'config')])
    try {
      const { 'current-context': context } = parse(readFileSync(file, 'utf8')) as Record<string, unknown>
      if (typeof context === 'string' && context !== '') return context
    } catch {
      // Without a file, kubectl reaches no cluster of the user.
    }
  return undefined
}

function manifestsOf(
  call: Call,
  { flags }: KubectlCall,
  before: readonly Call[],
  place: Place,
): { manifests: Manifests; unknown: string[] } {
  const into = none()
  const valuesOf = (...all: string[]) => all.flatMap(flag => flags.get(flag) ?? [])
  const texts = valuesOf('--patch', '--overrides')
  const files = valuesOf('--filename', '--patch-file')
  const kustomizations = valuesOf('--kustomize')
  if ([...texts, ...files, ...kustomizations].some(({ isKnown }) => !isKnown))
    return { manifests: into, unknown: [`what ${call.name} sends`] }
  for (const { text } of texts) readText(text, 'the patch', into, 'ask')
  const names = files.flatMap(({ text }) => text.split(',')).filter(name => name !== '')
  const paths = [...names.filter(name => name !== '-'), ...kustomizations.map(({ text }) => text)]
  if (call.cwd === undefined && paths.some(path => !/^[/~]|^https?:/.test(path)))
    return { manifests: into, unknown: [`the folder in which ${call.name} runs`] }
  const folder = resolve((call.cwd ?? place.cwd).replace(/^~(?=\/|$)/, place.home))
  const written = before.flatMap(one => pathsThatItChanges(one, folder))
  for (const name of paths) {
    const path = resolve(folder, name)
    if (written.some(other => other === path || other.startsWith(path + sep)))
      into.problems.push({ verdict: 'ask', what: `${name} is changed by the same command` })
  }
  for (const name of names)
    if (name !== '-') readFilename(name, [folder], flags.has('--recursive'), into)
    else if (call.input === undefined)
      into.problems.push({ verdict: 'ask', what: 'the manifest on stdin is not known before it runs' })
    else readText(call.input, 'the manifest on stdin', into)
  for (const { text } of kustomizations) readKustomization(text, [folder], into)
  return { manifests: into, unknown: [] }
}

/** They do not change the files that they name. */
const READERS =
  /^(?:cat|less|more|head|tail|grep|rg|ls|wc|diff|yamllint|kubeconform|kubectl|oc|echo|test|\[|cd)$/

function pathsThatItChanges({ name, args, redirects, cwd }: Call, folder: string): string[] {
  const words = [
    ...(READERS.test(name) ? [] : args),
    ...redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target),
  ]
  return words.filter(({ isKnown }) => isKnown).map(({ text }) => resolve(cwd ?? folder, text))
}
