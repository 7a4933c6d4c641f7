// One call of kubectl, oc or helm: its verb, its cluster, and its manifests.

import { resolve } from 'node:path'
import { type Finding, findingOf, fitsAny, listOf, type Place } from '../guard.js'
import type { Call } from '../shell/index.js'
import { ALTERNATIVES } from './alternatives.js'
import { readKustomization } from './kustomize.js'
import { none, readFilename, readText } from './manifests.js'
import { judge } from './rules.js'

const finding = findingOf(ALTERNATIVES)

const CHANGES =
  /^(?:apply|create|replace|patch|edit|set|scale|rollout|label|annotate|expose|autoscale|run|drain|cordon|uncordon|taint|delete|install|upgrade|uninstall|rollback|sync)$/
const VALUED =
  /^(?:-[nfklopcs]|--(?:namespace|context|cluster|user|kubeconfig|server|filename|kustomize|selector|output|patch|type|container|image|set|values|version|kube-context))$/

export function ofCall(call: Call, options: Readonly<Record<string, unknown>>, place: Place): Finding[] {
  const texts = call.args.map(({ text }) => text)
  const words = texts.filter((text, index) => !text.startsWith('-') && !VALUED.test(texts[index - 1] ?? ''))
  const verb = words[0] ?? ''
  const valuesOf = (...names: string[]) =>
    texts.flatMap((text, index) => {
      const name = names.find(one => text === one || text.startsWith(`${one}=`))
      return name === undefined
        ? []
        : [text === name ? (texts[index + 1] ?? '') : text.slice(name.length + 1)]
    })
  const findings: Finding[] = []
  const isDry = texts.some(text => /^--dry-run(?:=(?:client|server))?$/.test(text))
  if (isDry) return findings
  if (verb === 'delete' || verb === 'uninstall' || (verb === 'drain' && call.name !== 'helm'))
    findings.push(finding('kubernetes/delete', `"${call.name} ${verb}" removes what runs in the cluster.`))
  if (verb === 'get' && /^secrets?(?:\/|$|,)/.test(words[1] ?? '') && valuesOf('-o', '--output').length > 0)
    findings.push(finding('kubernetes/secret', 'It shows the values of secrets.'))
  if (/^(?:exec|attach|cp|port-forward|proxy|debug)$/.test(verb))
    findings.push(finding('kubernetes/access', `"${call.name} ${verb}" goes into a running workload.`, 'ask'))
  if (CHANGES.test(verb)) {
    const contexts = valuesOf('--context', '--kube-context', '--cluster')
    const allowed = listOf(options, 'contexts')
    const outside = allowed.length > 0 ? contexts.find(one => !fitsAny(allowed, one)) : undefined
    const hit =
      outside ??
      [...contexts, ...valuesOf('-n', '--namespace')].find(one => fitsAny(listOf(options, 'protected'), one))
    if (hit !== undefined) findings.push(finding('kubernetes/context', `It changes "${hit}".`, 'ask'))
  }
  if (/^(?:apply|create|replace|patch)$/.test(verb)) findings.push(...ofManifests(call, valuesOf, place))
  return findings
}

function ofManifests(call: Call, valuesOf: (...names: string[]) => string[], place: Place): Finding[] {
  const into = none()
  const folders = [call.cwd ?? place.cwd].map(folder => resolve(folder.replace(/^~(?=\/|$)/, place.home)))
  for (const name of valuesOf('-f', '--filename'))
    if (name !== '-') readFilename(name, folders, true, into)
    else if (call.input === undefined)
      into.problems.push({ verdict: 'ask', what: 'the manifest on stdin is not known before it runs' })
    else readText(call.input, 'the manifest on stdin', into)
  for (const name of valuesOf('-k', '--kustomize')) readKustomization(name, folders, into)
  const problems = [...into.problems, ...into.documents.flatMap(document => judge(document))]
  return problems.map(({ verdict, what }) => finding('kubernetes/manifest', `${what}.`, verdict))
}
