// Detects calls of kubectl and parses their arguments.

import { basename } from 'node:path'
import type { Command, Word } from './shell.js'

export interface Call {
  readonly verb: string
  /** The words after the verb. */
  readonly names: readonly string[]
  /** Their values; empty if only the shell knows them. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** Variables that are set for the call. */
  readonly settings: readonly string[]
  readonly command: Command
  /** False if the verb, or a word before it, is known only to the shell. */
  readonly isVerbCertain: boolean
  /** False if any word is. */
  readonly isCertain: boolean
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const NAMES = set('kubectl oc kubecolor k')
/** Programs that run the words after them. */
const BEFORE = set(
  'env sudo doas command builtin exec nohup time nice ionice setsid stdbuf timeout xargs watch minikube microk8s k3s k0s',
)
const SHELLS = set('sh bash zsh dash ksh ash eval source .')
/** Programs that only print the words. */
const TALKS = set(
  'echo printf grep egrep rg ag sed awk cat less head tail which type whereis man git cd ls brew apt apt-get',
)
const MENTIONS = /kube|\boc\b|\bk\b/

/** Flags whose value may be the next word. All others have no value, or one after "=". */
const VALUES = set(
  '-f --filename -k --kustomize -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --as-uid -o --output -l --selector -c --container -p --patch --patch-file --type --image --overrides --from-literal --from-file --from-env-file --clusterrole --role --serviceaccount --group --field-selector --field-manager --request-timeout --cache-dir --certificate-authority --client-key --client-certificate --tls-server-name --grace-period --timeout --template --docker-password --docker-username --docker-server --docker-email --verb --resource --resource-name --api-group --env --port --replicas --labels --annotations --restart --to-revision --subresource --raw -v --v',
)
/** Both spellings of a flag count as one. */
const LONG: Readonly<Record<string, string>> = {
  '-f': '--filename',
  '-k': '--kustomize',
  '-n': '--namespace',
  '-s': '--server',
  '-p': '--patch',
  '-A': '--all-namespaces',
  '-R': '--recursive',
}

export interface Meaning {
  readonly calls: readonly Call[]
  /** Texts that run as separate shell commands. */
  readonly scripts: readonly string[]
  /** Whether something runs that only the shell knows. */
  readonly isUnknown: boolean
}

export function meaningOf(command: Command): Meaning {
  const { words } = command
  const first = words.findIndex(
    (word, at) => !(word.isCertain && (BEFORE.has(nameOf(word)) || (at > 0 && isArgument(word.text)))),
  )
  const program = words[first]
  if (!program) return { calls: [], scripts: [], isUnknown: false }
  if (!program.isCertain) return { calls: [], scripts: [], isUnknown: true }
  if (SHELLS.has(nameOf(program)))
    return { calls: [], ...scriptsOf(nameOf(program), words.slice(first + 1), command) }
  if (TALKS.has(nameOf(program))) return { calls: [], scripts: [], isUnknown: false }
  // Any other program with kubectl among its arguments is assumed to run it: find -exec, parallel, ssh, su -c …
  const at = words.findIndex((word, index) => index >= first && NAMES.has(nameOf(word)))
  if (at >= 0) {
    const isAll = at === first && !words.slice(0, at).some(word => nameOf(word) === 'xargs')
    return { calls: [callOf(words.slice(at + 1), command, isAll)], scripts: [], isUnknown: false }
  }
  const texts = words.map(({ text }) => text).filter(text => /\s/.test(text) && MENTIONS.test(text))
  const isAlias = nameOf(program) === 'alias' && words.some(({ text }) => MENTIONS.test(text))
  return { calls: [], scripts: texts, isUnknown: isAlias }
}

const nameOf = ({ text }: Word) => basename(text.replaceAll('\\', '/')).replace(/\.exe$/i, '')

/** The words that may precede the inner program: options, settings, a duration. */
const isArgument = (text: string) => /^-|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(text)

/** The script that a shell runs. */
function scriptsOf(name: string, words: readonly Word[], { stdin }: Command): Omit<Meaning, 'calls'> {
  const known = (word: Word) => ({ scripts: word.isCertain ? [word.text] : [], isUnknown: !word.isCertain })
  if (name === 'eval')
    return known({
      text: words.map(({ text }) => text).join(' '),
      isCertain: words.every(word => word.isCertain),
    })
  const script = programOf(words)
  if (script) return known(script)
  if (stdin && 'text' in stdin) return known(stdin.text)
  return { scripts: [], isUnknown: stdin !== undefined && 'pipe' in stdin }
}

/** The text after -c. Options may follow -c, and -o takes the next word, also at the end of -euo. */
function programOf(words: readonly Word[]): Word | undefined {
  let at = words.findIndex(({ text }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text))
  if (at < 0) return undefined
  while (/^[-+]/.test(words[at]?.text ?? '')) at += /^[-+][a-zA-Z]*[oO]$/.test(words[at]!.text) ? 2 : 1
  return words[at]
}

function callOf(words: readonly Word[], command: Command, isAll: boolean): Call {
  const flags = new Map<string, string[]>()
  const names: Word[] = []
  let isVerbCertain = true
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const isFlag = word.text.startsWith('-') && word.text !== '-'
    if (names.length === 0) isVerbCertain &&= word.isCertain
    // The words after "--" belong to the program in the container. The "--" of a wrapper comes before the verb.
    if (word.text === '--' && names.length > 0) break
    if (word.text === '--') continue
    if (!isFlag) {
      names.push(word)
      continue
    }
    for (const { flag, value } of split(word.text)) {
      const given =
        value === undefined && VALUES.has(flag)
          ? (words[++at] ?? NOTHING)
          : { ...word, text: value ?? 'true' }
      const name = LONG[flag] ?? flag
      flags.set(name, [...(flags.get(name) ?? []), given.isCertain ? given.text : ''])
    }
  }
  const { settings } = command
  const [verb = '', ...rest] = names.map(({ text }) => text)
  return {
    verb,
    names: rest,
    flags,
    settings: settings.map(({ text }) => text),
    command,
    isVerbCertain,
    isCertain: isAll && [...words, ...settings].every(({ isCertain }) => isCertain),
  }
}

const NOTHING: Word = { text: '', isCertain: true }

interface Flag {
  readonly flag: string
  readonly value: string | undefined
}

/** --flag=value, -f=value, -fvalue, -Rfvalue */
function split(text: string): Flag[] {
  const [, name, value] = /^(--[^=]+)(?:=([\s\S]*))?$/.exec(text) ?? []
  if (name !== undefined) return [{ flag: name, value }]
  const flags: Flag[] = []
  for (let at = 1; at < text.length; at++) {
    const flag = `-${text[at]}`
    const rest = text.slice(at + 1).replace(/^=/, '')
    if (VALUES.has(flag)) return [...flags, { flag, value: rest === '' ? undefined : rest }]
    flags.push({ flag, value: undefined })
  }
  return flags
}
