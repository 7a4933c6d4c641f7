// The findings for programs. The keys are a promise: none is ever left out, null stands for nothing.

import type { Layer } from '@holdfast/hooks/protocol'
import { isGuess, standing } from './judge.js'
import type { Verdicts } from './report.js'

export const compatJson = ({ looked, profiles, hooks }: Verdicts) => ({
  profiles,
  files: looked.root.filter(({ state }) => state !== 'absent').map(fileJson),
  hooks: hooks.map(({ subject, found }) => ({
    event: subject.hook.event,
    source: subject.hook.source,
    hook: subject.hook.name,
    file: subject.hook.file,
    line: subject.hook.line,
    /** by-hand, sdk or unknown. */
    speaks: subject.traits.speaks,
    read: subject.files,
    versions: Object.fromEntries(profiles.map(name => [name, standing(found, name)])),
    findings: found.map(({ kind, effect, versions, what, fix, at }) => ({
      kind,
      effect,
      profiles: versions,
      message: what,
      fix,
      file: at?.file ?? subject.hook.file,
      line: at?.line ?? subject.hook.line,
      /** Whether it was guessed from the text of a script. */
      guess: isGuess(kind),
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
