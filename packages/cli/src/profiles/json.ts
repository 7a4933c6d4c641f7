// The rows as JSON. All keys are always present; null means nothing.

import { verdictJson } from '../print/fire-json.js'
import type { ProfileRow } from './compare.js'
import type { Simulated } from './simulate.js'

export const matrixJson = (rows: readonly ProfileRow[], reference: Simulated) => ({
  event: reference.verdict.event,
  compared_with: reference.profile.name,
  profiles: rows.map(rowJson),
})

const rowJson = ({ simulated, received, outcome, differs, hooks }: ProfileRow) => ({
  profile: simulated.profile.name,
  version: simulated.profile.version,
  has_event: simulated.spec !== undefined,
  receives: received && {
    renamed: received.renamed,
    missing: [...received.missing, ...received.missingCommon],
    extra: received.extra,
    in_seconds: received.seconds,
    attachment_key: received.attachmentKey,
    payload: simulated.plan.event.payload,
  },
  outcome,
  differs,
  hooks: hooks.map(({ hook, said, honoured, ignored, remarks }) => ({
    source: hook.source,
    hook: hook.name,
    file: hook.file,
    line: hook.line,
    said,
    honoured,
    ignored,
    remarks,
  })),
  verdict: verdictJson(simulated.verdict, simulated.catalog.issues),
})
