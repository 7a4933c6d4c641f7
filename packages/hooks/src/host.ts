// The options of the host, checked and completed. Time, randomness and environment come from here.

import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileTrustStore, type TrustStore } from './discover/trust.js'
import type { OnAsk } from './enforce/enforce.js'
import { HooksError } from './errors.js'
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
  const home = homeOf(options.home)
  const profile = findProfile(options.profile ?? 'holdfast')
  if (!profile) {
    throw new HooksError(
      'use/unknown-profile',
      `There is no profile "${options.profile}". Known: ${PROFILE_NAMES.join(', ')}.`,
    )
  }
  if (options.enterpriseDir !== undefined && !isAbsolute(options.enterpriseDir)) {
    throw new HooksError('use/bad-option', 'enterpriseDir must be an absolute folder.')
  }
  if (!Array.isArray(options.workspaceRoots)) {
    throw new HooksError('use/bad-option', 'workspaceRoots must be an array of folders.')
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
  if (given !== undefined && !isAbsolute(given)) {
    throw new HooksError('use/bad-option', `home is ${JSON.stringify(given)}; expected an absolute folder.`)
  }
  const home = given ?? homedir()
  return isAbsolute(home) ? home : userInfo().homedir
}
