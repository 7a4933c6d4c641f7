// The options of the host, checked and completed. Time, randomness and environment come from here.

import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileTrustStore, type TrustStore } from './discover/trust.js'
import type { OnAsk } from './enforce/enforce.js'
import { HooksError } from './errors.js'
import { checkOptions, type Option, option } from './options.js'
import { SOURCES, type SourceKind } from './protocol/config.js'
import { findProfile, PROFILE_NAMES, type Profile, type ProfileName } from './protocol/profiles.js'
import type { EvaluatePrompt } from './protocol/prompt.js'
import { uniqueId } from './protocol/unique-id.js'
import type { RedactOptions } from './record/record.js'
import type { StartCommand } from './run/run.js'

export interface HostOptions {
  /** The folders that are open; their hooks are the project hooks. */
  workspaceRoots: readonly string[]
  /** Version of the agent, which hooks receive as `cursor_version`. */
  version?: string
  userEmail?: string | null
  /** Whether the workspace is on another machine. */
  remote?: boolean
  profile?: ProfileName
  /** Also read hooks from Claude settings. */
  claude?: boolean
  /** Plugin folders to read. */
  plugins?: readonly string[]
  teamId?: string
  /**
   * Run the hooks of managed folders that no enrolment created and no team signed. They do not satisfy
   * `required: ['team']`.
   */
  trustUnsignedTeams?: boolean
  /** Sources that must be complete; otherwise permission events are denied. */
  required?: readonly SourceKind[]
  /** Each hooks.json that exists must be intact; otherwise permission events are denied. */
  requireIntact?: boolean
  /** Stores the trust in project hooks (default: a file in the home folder). */
  trust?: TrustStore
  /** Run project hooks without asking for trust. */
  trustAll?: boolean
  /** Do not run project hooks that may run files outside the trusted content. */
  fullCoverage?: boolean
  /** Load hooks again when their files change (default: true). */
  watch?: boolean
  /** Asks the user when a hook responds with `ask`. Without it, `ask` is a deny with that reason. */
  onAsk?: OnAsk
  /** Sources whose `allow` makes the host's own question unnecessary (default: all). */
  grants?: readonly SourceKind[]
  /** Asks a model the question of a prompt hook. */
  evaluatePrompt?: EvaluatePrompt
  /** Does the work of some commands without starting a process. */
  startCommand?: StartCommand
  log?: { file?: string | null; maxBytes?: number; keep?: number; redact?: Partial<RedactOptions> }
  /** The events are not real, as in a replay: no team receives records. */
  rehearsal?: boolean
  home?: string
  enterpriseDir?: string
  /** The environment that hooks inherit (default: that of this process when the engine is opened). */
  env?: NodeJS.ProcessEnv
  platform?: NodeJS.Platform
  now?: () => number
  /** Returns unique ids. */
  random?: () => string
}

export interface Host
  extends Required<
    Omit<HostOptions, 'profile' | 'onAsk' | 'evaluatePrompt' | 'startCommand' | 'teamId' | 'enterpriseDir'>
  > {
  readonly profile: Profile
  readonly onAsk: OnAsk | undefined
  readonly evaluatePrompt: EvaluatePrompt | undefined
  readonly startCommand: StartCommand | undefined
  readonly teamId: string | undefined
  readonly enterpriseDir: string | undefined
}

export function asHost(options: HostOptions): Host {
  checkOptions(options, 'openHooks', OPTIONS, ['workspaceRoots'])
  const home = homeOf(options.home)
  const profile = findProfile(options.profile ?? 'holdfast')
  if (!profile) {
    throw new HooksError(
      'use/unknown-profile',
      `There is no profile "${options.profile}". Known: ${PROFILE_NAMES.join(', ')}.`,
    )
  }
  return {
    workspaceRoots: Object.freeze([...options.workspaceRoots]),
    version: options.version ?? profile.version,
    userEmail: options.userEmail ?? null,
    remote: options.remote ?? false,
    profile,
    claude: options.claude ?? false,
    plugins: options.plugins ?? [],
    teamId: options.teamId,
    required: options.required ?? [],
    requireIntact: options.requireIntact ?? false,
    trustUnsignedTeams: options.trustUnsignedTeams ?? false,
    trust: options.trust ?? fileTrustStore(join(home, '.holdfast', 'trust.json')),
    trustAll: options.trustAll ?? false,
    fullCoverage: options.fullCoverage ?? false,
    watch: options.watch ?? true,
    onAsk: options.onAsk,
    grants: options.grants ?? (Object.keys(SOURCES) as SourceKind[]),
    evaluatePrompt: options.evaluatePrompt,
    startCommand: options.startCommand,
    log: options.log ?? {},
    rehearsal: options.rehearsal ?? false,
    home,
    enterpriseDir: options.enterpriseDir,
    // A copy: reading the live one costs a tenth of a millisecond at each hook.
    env: { ...(options.env ?? process.env) },
    platform: options.platform ?? process.platform,
    now: options.now ?? Date.now,
    random: options.random ?? uniqueId,
  }
}

/** A relative home would make the current folder that of the user, and its hooks trusted. */
function homeOf(given: string | undefined): string {
  const home = given ?? homedir()
  return isAbsolute(home) ? home : userInfo().homedir
}

const flag = option('true or false', value => typeof value === 'boolean')
const text = option('a text', value => typeof value === 'string')
const callback = option('a function', value => typeof value === 'function')
const record = option('an object', value => typeof value === 'object' && value !== null)
const folder = option('an absolute folder', value => typeof value === 'string' && isAbsolute(value))
const folders = option('an array of folders', value => isListOf(value, one => typeof one === 'string'))
const sources = option(`an array of ${Object.keys(SOURCES).join(', ')}`, value =>
  isListOf(value, one => Object.hasOwn(SOURCES, one as SourceKind)),
)

const isListOf = (value: unknown, isItem: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

const OPTIONS: Readonly<Record<keyof HostOptions, Option>> = {
  workspaceRoots: folders,
  version: text,
  userEmail: option('a text or null', value => value === null || typeof value === 'string'),
  remote: flag,
  profile: text,
  claude: flag,
  plugins: folders,
  teamId: text,
  trustUnsignedTeams: flag,
  required: sources,
  requireIntact: flag,
  trust: record,
  trustAll: flag,
  fullCoverage: flag,
  watch: flag,
  onAsk: callback,
  grants: sources,
  evaluatePrompt: callback,
  startCommand: callback,
  log: record,
  rehearsal: flag,
  home: folder,
  enterpriseDir: folder,
  env: record,
  platform: text,
  now: callback,
  random: callback,
}
