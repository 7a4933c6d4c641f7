// kubectl and its like: the cluster that a call goes to, what it does, and the manifests that it sends.

import type { Finding, Guard, Judgement } from '../guard.js'
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
      default: ['*prod*', '*live*', 'kube-system'],
    },
  },
  alternatives: ALTERNATIVES,
  async judge(payload, options, place): Promise<Judgement> {
    const command = commandOf(payload)
    if (command === undefined) return { findings: [] }
    const calls = readCommand(command, place).calls.filter(({ name }) =>
      /^(?:kubectl|oc|helm|kubecolor)$/.test(name),
    )
    if (calls.length === 0) return { findings: [] }
    // The reader of YAML is loaded only for a call that may send some.
    const { ofCall } = await import('./judge-call.js')
    const findings: Finding[] = []
    for (const call of calls)
      for (const found of ofCall(call, options, place))
        if (!findings.some(({ reason }) => reason === found.reason)) findings.push(found)
    return { findings }
  },
}
