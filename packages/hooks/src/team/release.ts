// The hooks of a team as they are signed, for all systems at once. A device selects its own after all checks.

import { quote } from '../config/json.js'
import { LIMITS } from './envelope.js'
import {
  above0,
  type Fitted,
  fit,
  flag,
  forbidden,
  hex,
  list,
  object,
  oneOf,
  orNull,
  type Part,
  prose,
  set,
  teamId,
  text,
  time,
  type Value,
  whole,
} from './shape.js'

export type OperatingSystem = 'Windows' | 'Macintosh' | 'Linux'
export const OPERATING_SYSTEMS: readonly OperatingSystem[] = ['Windows', 'Macintosh', 'Linux']

/** In the names of the payload. */
export interface SignedHook {
  readonly id: number
  readonly revision: number
  readonly name: string
  readonly hook_step: string
  readonly type: 'command' | 'prompt'
  readonly mode: 'enforce' | 'observe'
  /** (default: all) */
  readonly operating_systems: readonly OperatingSystem[]
  /** Of commands. */
  readonly script_name?: string
  readonly sha256?: string
  readonly size?: number
  /** Of prompts. */
  readonly prompt?: string
  readonly model?: string
  readonly matcher?: string
  /** Seconds. */
  readonly timeout?: number
  readonly fail_closed?: boolean
  /** Null: no limit, as in hooks.json. */
  readonly loop_limit?: number | null
}

const always = {
  id: whole(1),
  revision: whole(1),
  name: prose(LIMITS.name, 1),
  // A newer server may name an event that this device does not know.
  hook_step: text('the name of an event', value => /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(value)),
  type: oneOf('command', 'prompt'),
  mode: oneOf('enforce', 'observe'),
  operating_systems: set(oneOf(...OPERATING_SYSTEMS), OPERATING_SYSTEMS.length),
}
const sometimes = {
  matcher: prose(LIMITS.matcher),
  timeout: above0,
  fail_closed: flag,
  loop_limit: orNull(whole(0)),
}
const HOOKS: Readonly<Record<SignedHook['type'], Part<SignedHook>>> = {
  command: object(
    { ...always, script_name: prose(1000), sha256: hex(64), size: whole(0) },
    { ...sometimes, prompt: forbidden, model: forbidden },
  ),
  prompt: object(
    { ...always, prompt: prose(LIMITS.prompt, 1) },
    { ...sometimes, model: prose(LIMITS.name), script_name: forbidden, sha256: forbidden, size: forbidden },
  ),
}
const hook: Part<SignedHook> = (value, path) => {
  const isPrompt = typeof value === 'object' && value !== null && (value as SignedHook).type === 'prompt'
  return HOOKS[isPrompt ? 'prompt' : 'command'](value, path)
}

const release = object({
  team_id: teamId,
  epoch: whole(0),
  release: whole(1),
  trust_version: whole(1),
  issued_at: time,
  expires_at: time,
  // The runs that devices report: of enterprise and team hooks, or all.
  records: oneOf('managed', 'all'),
  // Above LIMITS.hooks the device client has a message of its own.
  hooks: list(hook, 10 * LIMITS.hooks),
  // Hashes of older releases that a lease may order a device to go back to.
  may_revert_to: set(hex(64), 100),
})

export type ReleasePayload = Value<typeof release>

export function readRelease(payload: Uint8Array): Fitted<ReleasePayload> {
  const read = fit(release, payload, 'release')
  const ids = read.ok ? read.value.hooks.map(({ id }) => id) : []
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return twice === undefined ? read : { ok: false, message: `The release names the hook ${twice} twice.` }
}

export const isFor = (hook: Pick<SignedHook, 'operating_systems'>, system: OperatingSystem): boolean =>
  hook.operating_systems.length === 0 || hook.operating_systems.includes(system)

/** As seen from a folder of the store. */
const QUEUE = '../../queue'

/** The manifest that the engine reads. It is derived from the release alone, so that a change of it can be detected. */
export function manifestOf(release: ReleasePayload, system: OperatingSystem): Buffer {
  const hooks = release.hooks.filter(hook => isFor(hook, system)).map(entryOf)
  return jsonBytes({
    team: release.team_id,
    release: release.release,
    records: release.records,
    queue: QUEUE,
    hooks,
  })
}

/** A set without hooks. The root metadata says whether it satisfies an engine that requires the team. */
export const killedManifest = (teamId: string, release: number): Buffer =>
  jsonBytes({ team: teamId, release, killed: true, records: 'managed', queue: QUEUE, hooks: [] })

/** Names are for people only, and stay in the release. */
function entryOf({ name: _, size: __, ...fields }: SignedHook): object {
  return { ...fields, is_active: true }
}

export const jsonBytes = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

/** Devices of Windows, in any case and with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** Files of the device client beside the scripts. */
export const CLIENT_FILES: readonly string[] = ['manifest.json', 'release.json', 'lease.json']

/** A script becomes a file, so its name must be plain on every system. */
export function scriptNameProblem(name: string): string | undefined {
  if (!PLAIN.test(name))
    return `The script name ${quote(name)} is not plain: 1 to 100 letters, digits, dots, dashes and underscores, the first a letter or digit.`
  if (name.endsWith('.')) return `The script name ${quote(name)} ends with a dot.`
  if (DEVICE.test(name)) return `The script name ${quote(name)} is that of a device on Windows.`
  if (CLIENT_FILES.includes(name.toLowerCase())) return `The script name ${quote(name)} is taken by Holdfast.`
  return undefined
}

/** Several hooks may use one script; two scripts may not share a name, not even in another case. */
export function scriptNamesProblem(
  hooks: Iterable<{ readonly script_name?: string; readonly sha256?: string }>,
): string | undefined {
  const seen = new Map<string, { name: string; sha256: string | undefined }>()
  for (const { script_name: name, sha256 } of hooks) {
    if (name === undefined) continue
    const problem = scriptNameProblem(name)
    if (problem !== undefined) return problem
    const other = seen.get(name.toLowerCase())
    if (other && other.name !== name)
      return `Two scripts are called ${quote(other.name)} and ${quote(name)}, which is one file on some machines. Give one of them another name.`
    if (other && other.sha256 !== sha256)
      return `Two different scripts are called ${quote(name)}, which is one file on a device. Give one of them another name.`
    seen.set(name.toLowerCase(), { name, sha256 })
  }
  return undefined
}
