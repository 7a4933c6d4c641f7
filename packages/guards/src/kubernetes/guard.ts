// kubectl and its like: the cluster that a call goes to, what it does, and the manifests that it sends.

import { type Finding, type Guard, type Judgement, NOTHING } from '../guard.js'
import { commandOf } from '../payload.js'
import { readCommand } from '../shell/index.js'
import { ALTERNATIVES } from './alternatives.js'

export const kubernetes: Guard = {
  name: 'kubernetes',
  summary: 'clusters that a call goes to, deletions, and what manifests would let in',
  options: {
    contexts: {
      type: 'list',
      about: 'contexts in which changes pass; * is any text (empty: all but the protected ones)',
      default: [],
    },
    protected: {
      type: 'list',
      about: 'contexts and namespaces in which changes ask',
      default: ['*prod*', '*prd*', '*live*', 'kube-system'],
    },
  },
  alternatives: ALTERNATIVES,
  async judge(payload, options, place): Promise<Judgement> {
    const command = commandOf(payload)
    if (command === undefined) return NOTHING
    const { calls, unknown } = readCommand(command, place)
    const isMeant = calls.some(({ name }) => PROGRAMS.test(name) || DISTRIBUTIONS.test(name))
    if (!isMeant && !(unknown.length > 0 && /kube|\boc\b|helm/i.test(command))) return NOTHING
    // The reader of YAML is loaded only for a call that may send some.
    const { ofCall } = await import('./judge-call.js')
    const findings = new Map<string, Finding>()
    const open = new Set(unknown)
    for (const [at, call] of calls.entries()) {
      const isInside = DISTRIBUTIONS.test(call.name) && call.args[0]?.text === 'kubectl'
      if (!isInside && !PROGRAMS.test(call.name)) continue
      const words = isInside ? call.args.slice(1) : call.args
      const found = ofCall(call, words, calls.slice(0, at), options, place)
      for (const one of found.findings) findings.set(one.reason, one)
      for (const text of found.unknown) open.add(text)
    }
    return { findings: [...findings.values()], unknown: [...open] }
  },
}

const PROGRAMS = /^(?:kubectl|kubecolor|oc|helm|k)$/
/** They have a kubectl of their own. */
const DISTRIBUTIONS = /^(?:microk8s|minikube|k3s|k0s)$/
