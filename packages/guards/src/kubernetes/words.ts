// The words of a call of kubectl: its verb, the names after it, and its flags.

import type { Word } from '../shell/index.js'

export interface KubectlCall {
  readonly verb: string
  readonly isVerbKnown: boolean
  /** The words after the verb. */
  readonly names: readonly Word[]
  /** The values of each flag by its long spelling; `true` for a flag without one. */
  readonly flags: ReadonlyMap<string, readonly Word[]>
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Verbs that change nothing. A plugin may have further verbs. */
export const READS = set(
  'get describe logs explain api-resources api-versions version cluster-info top diff events wait completion options plugin kustomize help whoami status list template lint show search history repo dependency pull',
)
export const CHANGES = set(
  'apply create replace patch edit set scale rollout label annotate expose autoscale run drain cordon uncordon taint delete auth config certificate install upgrade uninstall rollback new-app',
)
export const ENTERS = set('exec attach cp port-forward proxy debug rsh rsync')

/** Flags whose value may be the next word. All others have no value, or one after "=". */
const VALUES = set(
  '-f --filename -k --kustomize -n --namespace --context --kube-context --cluster --user --kubeconfig -s --server --token --as --as-group --as-uid -o --output -l --selector -c --container -p --patch --patch-file --type --image --overrides --from-literal --from-file --from-env-file --clusterrole --role --serviceaccount --group --field-selector --field-manager --request-timeout --cache-dir --certificate-authority --client-key --client-certificate --tls-server-name --grace-period --timeout --template --docker-password --docker-username --docker-server --docker-email --verb --resource --resource-name --api-group --env --port --replicas --labels --annotations --restart --to-revision --subresource --raw -v --v --set --values --version',
)
/** Both spellings of a flag count as one. */
const LONG: Readonly<Record<string, string>> = {
  '-f': '--filename',
  '-k': '--kustomize',
  '-n': '--namespace',
  '-o': '--output',
  '-s': '--server',
  '-p': '--patch',
  '-R': '--recursive',
}

export function readWords(words: readonly Word[]): KubectlCall {
  const flags = new Map<string, Word[]>()
  const names: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    // The words after "--" belong to the program in the container. The "--" of a wrapper comes before the verb.
    if (word.text === '--' && names.length > 0) break
    if (word.text === '--') continue
    if (!word.text.startsWith('-') || word.text === '-') {
      names.push(word)
      continue
    }
    for (const { flag, value } of split(word.text)) {
      const next = value === undefined && VALUES.has(flag) ? words[++at] : undefined
      const name = LONG[flag] ?? flag
      flags.set(name, [...(flags.get(name) ?? []), next ?? { ...word, text: value ?? 'true' }])
    }
  }
  // The first word may be the value of a flag that is not in the list.
  const known = names.findIndex(({ text }) => READS.has(text) || CHANGES.has(text) || ENTERS.has(text))
  const isVerbKnown = names.slice(0, Math.max(known, 0) + 1).every(({ isKnown }) => isKnown)
  const at = known === -1 || !isVerbKnown ? 0 : known
  return { verb: names[at]?.text ?? '', isVerbKnown, names: names.slice(at + 1), flags }
}

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
