// The team's hooks, as they are signed: for all systems at once. A device picks its own after all checks.

import { LIMITS } from './limits.js'
import {
  above0,
  type Fitted,
  fit,
  flag,
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
  /** None: all. */
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

export interface ReleasePayload {
  readonly team_id: string
  readonly epoch: number
  readonly release: number
  readonly trust_version: number
  readonly issued_at: string
  readonly expires_at: string
  /** Whose runs the devices report: those of enterprise and team hooks, or all. */
  readonly records: 'managed' | 'all'
  readonly hooks: readonly SignedHook[]
  /** Hashes of older releases that a lease may order a device to go back to. */
  readonly may_revert_to: readonly string[]
}

const always = {
  id: whole(1),
  revision: whole(1),
  name: prose(LIMITS.name, 1),
  // Which events there are is for the engine to know: a newer server may name one that this device does not.
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
  command: object({ ...always, script_name: prose(1000), sha256: hex(64), size: whole(0) }, sometimes),
  prompt: object({ ...always, prompt: prose(LIMITS.prompt, 1) }, { ...sometimes, model: prose(LIMITS.name) }),
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
  records: oneOf('managed', 'all'),
  // More than are allowed is its own refusal; here only what can be read at all.
  hooks: list(hook, 10 * LIMITS.hooks),
  may_revert_to: set(hex(64), 100),
})

export const writeRelease = (value: ReleasePayload): Uint8Array => Buffer.from(JSON.stringify(value))

export function readRelease(payload: Uint8Array): Fitted<ReleasePayload> {
  const read = fit(release, payload, 'release')
  const ids = read.ok ? read.value.hooks.map(({ id }) => id) : []
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return twice === undefined ? read : { ok: false, message: `The release names the hook ${twice} twice.` }
}

export const isFor = (hook: Pick<SignedHook, 'operating_systems'>, system: OperatingSystem): boolean =>
  hook.operating_systems.length === 0 || hook.operating_systems.includes(system)
