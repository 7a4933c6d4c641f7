// Rules for manifests: what is denied, and what a person must see first.

import { fitsAny } from '../guard.js'
import type { Document, Problem } from './manifests.js'

type Fields = Readonly<Record<string, unknown>>

const SECRET_NAME = /PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY/i
const CAPABILITIES = new Set(['ALL', 'SYS_ADMIN', 'CAP_SYS_ADMIN'])

/** `protectedNames` are the namespaces in which a change asks. */
export function judge(document: Document, protectedNames: readonly string[]): Problem[] {
  const { where } = document
  const value = fields(document.value)
  const kind = String(value.kind ?? 'an object without a kind')
  const { name, namespace } = fields(value.metadata)
  const found: Problem[] = []
  const add = (verdict: Problem['verdict'], what: string) =>
    found.push({ verdict, what: `${where} (${kind}${name ? ` ${name}` : ''}): ${what}` })

  if (kind === 'Secret') {
    const count = Object.keys(fields(value.data)).length + Object.keys(fields(value.stringdata)).length
    if (count > 0) add('deny', 'a secret in plain text; base64 hides nothing')
  }
  if (kind === 'Kustomization') {
    const generators = Array.isArray(value.secretgenerator) ? value.secretgenerator : []
    if (generators.some(generator => Array.isArray(fields(generator).literals)))
      add('deny', 'secretGenerator has a secret in plain text')
  }
  if (/^(?:Cluster)?RoleBinding$/.test(kind)) {
    const subjects = Array.isArray(value.subjects) ? value.subjects : []
    if (fields(value.roleref).name === 'cluster-admin') add('deny', 'it makes somebody cluster-admin')
    else if (subjects.some(subject => fields(subject).name === 'system:masters'))
      add('deny', 'it binds system:masters')
    else if (kind === 'ClusterRoleBinding') add('ask', 'it gives rights in the whole cluster')
  }
  if (kind === 'ClusterRole') {
    if (isEverything(value.rules)) add('deny', 'it allows everything, as cluster-admin does')
    else add('ask', 'it defines rights in the whole cluster')
  }
  if (kind === 'CustomResourceDefinition') add('ask', 'it changes what the whole cluster knows')
  if (/^(?:Mutating|Validating)WebhookConfiguration$/.test(kind))
    add('ask', 'it changes or stops what others send')
  if (typeof namespace === 'string' && fitsAny(protectedNames, namespace))
    add('ask', `it goes to the namespace ${namespace}`)
  for (const what of deepFindings(value)) add('deny', what)
  return found
}

/** Checks every level: pods, pod templates, nested templates, patches. Each problem is reported once. */
function deepFindings(value: unknown): Set<string> {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (!Array.isArray(node)) look(fields(node), found)
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(value)
  return found
}

function look(node: Fields, found: Set<string>): void {
  const { securitycontext, hostpath, capabilities, windowsoptions } = node
  if (isTrue(fields(securitycontext).privileged)) found.add(`a privileged container${named(node)}`)
  if (isTrue(fields(windowsoptions).hostprocess)) found.add('a container with the rights of its host')
  const added = fields(capabilities).add
  if (Array.isArray(added) && added.some(name => CAPABILITIES.has(String(name).toUpperCase())))
    found.add(`the capability ${added.join(', ')}`)
  const path = fields(hostpath).path
  if (typeof path === 'string') found.add(`a mount of the host's ${path}`)
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC'])
    if (isTrue(node[name.toLowerCase()])) found.add(name)
  const { name, value } = node
  if (
    typeof name === 'string' &&
    typeof value === 'string' &&
    SECRET_NAME.test(name) &&
    !/_(?:FILE|PATH)$/i.test(name) &&
    !/^$|^\$\(/.test(value)
  )
    found.add(`the value of ${name} in plain text`)
}

/** kubectl also accepts the old YAML spellings of true. */
const isTrue = (value: unknown) =>
  value === true || (typeof value === 'string' && /^(?:true|yes|on|y)$/i.test(value))

const isEverything = (rules: unknown) =>
  Array.isArray(rules) &&
  rules.some(rule => {
    const { verbs, resources } = fields(rule)
    return [verbs, resources].every(list => Array.isArray(list) && list.includes('*'))
  })

const named = ({ name }: Fields) => (typeof name === 'string' ? ` (${name})` : '')

/** With keys in lower case: the API server ignores the case of fields. */
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]))
    : {}
