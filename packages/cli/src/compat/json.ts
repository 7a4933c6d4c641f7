// The findings for programs. The keys are a promise: none is ever left out, null means nothing.

import type { Layer } from '@holdfast/hooks/protocol'
import { isProven, standing, type Verdicts } from './judge.js'

export const compatJson = ({ layers, profiles, hooks, rehearsed }: Verdicts) => ({
  profiles,
  ran: rehearsed !== null,
  files: layers.filter(({ state }) => state !== 'absent').map(fileJson),
  hooks: hooks.map(({ subject: { hook }, found }) => ({
    event: hook.event,
    source: hook.source,
    hook: hook.name,
    file: hook.file,
    line: hook.line,
    ran: rehearsed?.has(hook.id) ?? false,
    versions: Object.fromEntries(profiles.map(name => [name, standing(found, name)])),
    findings: found.map(finding => ({
      kind: finding.kind,
      effect: finding.effect,
      profiles: finding.versions,
      message: finding.what,
      fix: finding.fix,
      /** False: it depends on what the script does. Such a finding does not change the exit code. */
      proven: isProven(finding),
    })),
  })),
})

const fileJson = ({ source, state, hooks, dropped }: Layer) => ({
  file: source.file,
  source: source.kind,
  state,
  hooks: hooks.length,
  dropped,
})
