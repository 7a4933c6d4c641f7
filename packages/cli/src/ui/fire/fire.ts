// Fires an event: its hooks run, once per version, one event at a time.

import { openHooks } from '@holdfast/hooks'
import { findProfile, type ProfileName } from '@holdfast/hooks/protocol'
import type { FireRequest } from '@holdfast/web/panel'
import { evaluatePrompt } from '../../model.js'
import { compare, type ProfileRow } from '../../profiles/compare.js'
import { versionName } from '../../profiles/names.js'
import { receivedWords } from '../../profiles/received.js'
import { honouredWords, remarkWords } from '../../profiles/report.js'
import { type Firing, fireExplained, type Simulated, simulate } from '../../profiles/simulate.js'
import { whoAndWhat } from '../../who.js'
import { hooksOf, type Panel } from '../panel.js'
import { firedPath } from '../path/fired.js'
import { wrong } from '../refusals.js'
import { onlyWhatWasSeen } from './may-run.js'
import { readPayload } from './payload.js'
import { profilesNamed } from './profiles.js'

type PanelFireRequest = Pick<FireRequest, 'event' | 'payloadJson' | 'profiles' | 'seen'>

export async function fire(
  { workspace, engine, profile: own }: Panel,
  asked: PanelFireRequest,
  signal: AbortSignal,
) {
  const { spec, fields, problems, isFit } = readPayload(asked.event, asked.payloadJson)
  if (!isFit) {
    const first = problems.find(({ severity }) => severity === 'error')!
    throw wrong(`The payload cannot be fired. ${first.message}`)
  }
  const named = profilesNamed(asked.profiles)
  const firing: Firing = {
    event: spec.name,
    fields,
    workspace,
    host: { ...whoAndWhat(fields), evaluatePrompt },
    signal,
    mayRun: onlyWhatWasSeen(asked.seen, hooksOf(await engine.reload()), own.config.pathBase),
  }
  const [profile = workspace.profile, ...others] = named
  if (others.length === 0) return { paths: [await fireOnce(firing, profile)], differences: [] }
  const all = await simulate(firing, named, () => {})
  return { paths: all.map(one => firedPath(one)), differences: compare(all).rows.map(toDifference) }
}

/** In one version, and logged as `holdfast fire` does. */
async function fireOnce(firing: Firing, profile: ProfileName) {
  const { workspace, host, event, fields, signal, mayRun } = firing
  const hooks = await openHooks({
    ...workspace.host,
    ...host,
    profile,
    log: { file: workspace.logFile },
  })
  try {
    const fired: Simulated = await fireExplained(
      hooks,
      findProfile(profile)!,
      event,
      fields,
      { signal },
      mayRun,
    )
    return firedPath(fired, hooks.log(), hooks.logProblem())
  } finally {
    hooks.close()
  }
}

const toDifference = (row: ProfileRow) => ({
  profile: row.simulated.profile.name,
  receives: row.received ? receivedWords(row.received) : 'nothing',
  honoured: honouredWords(row),
  outcome: row.outcome,
  differs: row.differs.length > 0,
  why: remarkWords(row).join('\n') || differsWords(row),
})

const differsWords = ({ differs, simulated }: ProfileRow): string =>
  differs.length === 0 ? '' : `another ${differs.join(' and ')} in ${versionName(simulated.profile.name)}`
