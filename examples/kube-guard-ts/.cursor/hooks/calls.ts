// Finds the problems of one kubectl call.

import { join, resolve, sep } from 'node:path'
import type { Call } from './kubectl.js'
import { readKustomization } from './kustomize.js'
import { type Manifests, none, type Problem, readFilename, readText } from './manifests.js'
import { judge, PRODUCTION } from './rules.js'
import type { Command } from './shell.js'

/** Verbs that only read. Every other verb, also an unknown one, counts as a change. */
const LOOKS = new Set(
  'get describe logs explain api-resources api-versions version cluster-info top diff events wait completion options plugin kustomize help whoami status'.split(
    ' ',
  ),
)
/** Verbs that send objects. */
const SENDS = new Set(['apply', 'create', 'replace', 'delete', 'patch', 'run', 'auth'])

export interface Place {
  /** The folders in which it may run: a `cd` before it may have failed. */
  readonly folders: readonly string[]
  /** False if only the shell knows it. */
  readonly isKnown: boolean
  /** Commands that run before this one. */
  readonly before: readonly Command[]
}

type Say = (what: string) => void

export function judgeCall(call: Call, place: Place): Problem[] {
  const { verb, names, flags, isVerbCertain, isCertain } = call
  const problems: Problem[] = []
  const ask: Say = what => problems.push({ verdict: 'ask', what })
  const deny: Say = what => problems.push({ verdict: 'deny', what })

  if (isVerbCertain && LOOKS.has(verb)) return []
  if (verb === 'auth' && names[0] !== 'reconcile') return []
  // A dry run changes nothing.
  if (isCertain && ['client', 'server', 'true'].includes(flags.get('--dry-run')?.at(-1) ?? '')) return []

  if (!isVerbCertain || (SENDS.has(verb) && !isCertain))
    ask(`kubectl ${verb} has parts that only the shell knows`)
  for (const target of targetsOf(call)) ask(`kubectl ${verb} goes to production (${target})`)
  if ([...names, ...[...flags.values()].flat()].includes('cluster-admin'))
    deny('it makes somebody cluster-admin')
  if (verb === 'delete') judgeDelete(call, ask, deny)
  if (verb === 'create') judgeCreate(call, ask, deny)
  if (verb === 'run' && flags.get('--privileged')?.at(-1) === 'true') deny('a privileged container')
  if (flags.has('--prune')) ask('--prune deletes what the manifests do not name')

  if (!SENDS.has(verb)) return problems
  const { documents, problems: unread } = manifestsOf(call, place)
  problems.push(...unread)
  for (const document of documents) {
    if (verb !== 'delete') problems.push(...judge(document))
    else if (document.value.kind === 'Namespace') deny(`${document.where}: ${DELETES_ALL}`)
  }
  return problems
}

const DELETES_ALL = 'deleting a namespace deletes everything in it'

function targetsOf({ verb, names, flags, settings }: Call): string[] {
  const named = ['--context', '--namespace', '--cluster', '--kubeconfig', '--server'].flatMap(
    flag => flags.get(flag) ?? [],
  )
  const set = settings.filter(text => text.startsWith('KUBE'))
  // After `config use-context`, every later command uses that context implicitly.
  return [...named, ...set, ...(verb === 'config' ? names : [])].filter(text => PRODUCTION.test(text))
}

function judgeDelete({ names, flags }: Call, ask: Say, deny: Say): void {
  const kinds = names.flatMap(name => name.split(',').map(part => part.split(/[/.]/)[0]!.toLowerCase()))
  // The first operand names the kind; later ones only if they contain the kind too.
  const isAny = (...words: string[]) =>
    kinds.some((kind, at) => words.includes(kind) && (at === 0 || /[/,]/.test(names.join(' '))))
  if (isAny('ns', 'namespace', 'namespaces', 'project', 'projects')) deny(DELETES_ALL)
  if (isAny('crd', 'crds', 'customresourcedefinition', 'customresourcedefinitions'))
    ask('deleting a custom resource definition deletes all objects of that kind')
  if (flags.has('--all') || flags.has('--all-namespaces')) ask('everything of a kind is deleted')
}

/** Objects that are created without a file. */
function judgeCreate({ names: [kind = '', ...names], flags }: Call, ask: Say, deny: Say): void {
  if (kind === 'clusterrolebinding') ask('it gives rights in the whole cluster')
  if (kind === 'clusterrole') ask('it defines rights in the whole cluster')
  if (/^secrets?$/.test(kind) && (flags.has('--from-literal') || flags.has('--docker-password')))
    deny(`the secret ${names.at(-1) ?? ''} stands in the command in plain text`)
}

function manifestsOf({ flags, command }: Call, { folders, isKnown, before }: Place): Manifests {
  const into = none()
  const files = [...(flags.get('--filename') ?? []), ...(flags.get('--patch-file') ?? [])]
    .flatMap(value => value.split(','))
    .filter(name => name !== '')
  const kustomizations = (flags.get('--kustomize') ?? []).filter(name => name !== '')
  for (const text of [...(flags.get('--patch') ?? []), ...(flags.get('--overrides') ?? [])])
    readText(text, 'the patch', into, 'ask')
  const paths = [...files.filter(name => name !== '-'), ...kustomizations]
  if (!isKnown && paths.length > 0)
    into.problems.push({ verdict: 'ask', what: 'it runs in a folder that only the shell knows' })
  for (const name of paths.filter(path => isTouched(path, folders, before))) {
    const what = `${name} is changed by the same command line, so nobody has looked at it`
    into.problems.push({ verdict: 'ask', what })
  }
  for (const name of files) {
    if (name === '-') readStdin(command, folders, into)
    else readFilename(name, folders, flags.has('--recursive'), into)
  }
  for (const name of kustomizations) readKustomization(name, folders, into)
  return into
}

function readStdin({ stdin }: Command, folders: readonly string[], into: Manifests): void {
  const from = stdin && 'pipe' in stdin ? printed(stdin.pipe) : stdin
  if (from && 'text' in from && from.text.isCertain) readText(from.text.text, 'the text on its input', into)
  else if (from && 'file' in from && from.file.isCertain) readFilename(from.file.text, folders, false, into)
  else {
    const what = 'the manifest comes from another program, so nobody has looked at it'
    into.problems.push({ verdict: 'ask', what })
  }
}

/** cat FILE | kubectl apply -f - */
function printed({ words, stdin }: Command): Command['stdin'] {
  const [program, file] = words
  if (program?.text !== 'cat' || words.length > 2) return undefined
  return file === undefined || file.text === '-' ? stdin : { file }
}

/** Programs that do not change files. */
const READERS = new Set('cat less head tail grep rg ls cd kubectl test ['.split(' '))

/** A file that an earlier part of the line writes, moves or downloads is not yet on disk. */
function isTouched(name: string, folders: readonly string[], before: readonly Command[]): boolean {
  const touched = before.flatMap(({ words, writes }) =>
    READERS.has(words[0]?.text ?? '') ? writes : [...words.slice(1), ...writes],
  )
  const paths = touched.flatMap(({ text }) => folders.map(folder => resolve(folder, text)))
  return folders.some(folder => {
    const path = resolve(folder, name)
    return paths.some(other => other === path || other.startsWith(join(path, sep)))
  })
}
