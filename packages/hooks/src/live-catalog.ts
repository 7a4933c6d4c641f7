// The catalog while the host runs: loaded, watched, and completed with the functions that the host registered.

import {
  ageless,
  currentStamp,
  type DiscoverOptions,
  discover,
  isUnchanged,
  isUnchangedAtEnd,
  readStamp,
  statOf,
  type TrustStore,
  type Watch,
  watch,
  watchedPaths,
} from './discover/discover.js'
import type { Host } from './host.js'
import {
  type Catalog,
  type HookDefinition,
  type Issue,
  type Layer,
  SOURCES,
  type SourceKind,
} from './protocol/config.js'
import type { EventName } from './protocol/events.js'
import { callListener } from './protocol/listener.js'
import type { WantedBy } from './record/teams.js'

const NONE: readonly HookDefinition[] = Object.freeze([])
const NO_ISSUES: readonly Issue[] = Object.freeze([])
const isUnverified = ({ code }: Issue): boolean => code === 'config/manifest-unverified'

/**
 * A hook as it was shown to the user, or its fingerprint. Roots of a workspace may contain the same hooks, and then a
 * fingerprint alone names none of them.
 */
export type ShownHook = string | Pick<HookDefinition, 'root' | 'fingerprint'>

export class LiveCatalog {
  /** The teams that receive records of runs. */
  teams: readonly WantedBy[] = []
  private readonly listeners = new Set<(catalog: Catalog) => void>()
  private readonly functions: HookDefinition[] = []
  private read: Catalog | undefined
  /** Hooks of each event, files and functions together, highest source first. */
  private active = new Map<EventName, readonly HookDefinition[]>()
  private loading: Promise<Catalog> | undefined
  /** Folders that could not be verified, and of which the log has no record yet. */
  private unrecorded: readonly Issue[] = NO_ISSUES
  private watcher: Watch | undefined
  private closed = false
  /** Of the trust file, before the last load used it. */
  private trustStamp = ''

  constructor(private readonly host: Host) {}

  /** Of the last load. Must not be used before the first one. */
  get current(): Catalog {
    return this.read!
  }

  of(event: EventName): readonly HookDefinition[] {
    return this.active.get(event) ?? NONE
  }

  all(): HookDefinition[] {
    return [...this.active.values()].flat()
  }

  /**
   * The servers to which http hooks of this source may send payloads; undefined for all. The list of the user does not
   * limit hooks of higher sources that the user does not control.
   */
  allowedHosts(source: SourceKind): readonly string[] | undefined {
    const isManaged = source === 'enterprise' || source === 'team'
    return this.hostsIn('enterprise') ?? (isManaged ? undefined : this.hostsIn('user'))
  }

  /** A file that cannot be read may have a list, so it allows none. */
  private hostsIn(source: SourceKind): readonly string[] | undefined {
    const layer = this.current.layers.find(({ source: { kind } }) => kind === source)
    return layer?.state === 'failed' ? [] : layer?.allowedHttpHosts
  }

  /**
   * Reads the sources again if trust or a covered file of these hooks changed since the last reading. Undefined if nothing
   * changed, and nothing must be awaited: awaiting would cost more than the comparison.
   */
  refresh(hooks: readonly HookDefinition[]): Promise<unknown> | undefined {
    const isUnchanged = this.comparer()
    let answer: boolean | Promise<boolean> = true
    const index = hooks.findIndex(hook => {
      answer = isUnchanged(hook)
      return answer !== true
    })
    if (answer === true) return undefined
    return answer === false ? this.reload() : this.refreshAfter(answer, hooks.slice(index + 1))
  }

  /** The same where a trust store of the host responds later. */
  private async refreshAfter(answer: Promise<boolean>, rest: readonly HookDefinition[]): Promise<void> {
    await ((await answer) ? this.refresh(rest) : this.reload())
  }

  /**
   * Returns whether a hook is as it was loaded. Compares each list of covered paths once: all hooks of a source share it.
   * `isEnd` is for the end of the process, when nothing can be read again.
   */
  comparer(isEnd = false): (hook: HookDefinition) => boolean | Promise<boolean> {
    const compared = new Map<HookDefinition['covered'], boolean>()
    let isTrustFileSame: boolean | undefined
    return hook => {
      const { covered } = hook
      if (covered.length === 0) return true
      let isSame = compared.get(covered)
      if (isSame === undefined) {
        isSame = covered.every(isEnd ? isUnchangedAtEnd : isUnchanged)
        compared.set(covered, isSame)
      }
      if (!isSame || !SOURCES[hook.source].needsTrust) return isSame
      if (this.host.trust.file === undefined) return isStillTrusted(hook, this.host.trust)
      isTrustFileSame ??=
        currentStamp(this.host.trust.file) === (isEnd ? ageless(this.trustStamp) : this.trustStamp)
      return isTrustFileSame
    }
  }

  /** One load at a time. A call during a load gets a load that begins afterwards. */
  reload(): Promise<Catalog> {
    const previous = this.loading
    const next = (async () => {
      await previous?.catch(() => {})
      const { file } = this.host.trust
      this.trustStamp = file === undefined ? '' : readStamp(statOf(file))
      const catalog = await discover(this.options(), this.read)
      this.noteUnverified(catalog)
      this.read = catalog
      this.teams = catalog.layers.flatMap(wantedBy)
      this.activate()
      this.watcher?.update(watchedPaths(this.options(), catalog))
      for (const listener of this.listeners) callListener(() => listener(catalog))
      return catalog
    })()
    this.loading = next
    return next
  }

  follow(): void {
    const changed = () => {
      if (!this.closed) this.reload().catch(() => {})
    }
    this.watcher = watch(watchedPaths(this.options(), this.current), changed)
  }

  /** Returns the function that removes the hook. */
  add(hook: HookDefinition): () => void {
    this.functions.push(hook)
    this.activate()
    return () => {
      const at = this.functions.indexOf(hook)
      if (at >= 0) this.functions.splice(at, 1)
      this.activate()
    }
  }

  /** Hooks that changed since their fingerprint was shown have another one, and stay untrusted. */
  async trust(shown: readonly ShownHook[]): Promise<readonly HookDefinition[]> {
    const all = this.current.layers.flatMap(({ hooks }) => hooks)
    const isShown = (hook: HookDefinition): boolean => {
      const { root, fingerprint } = hook
      const isAlone = all.every(other => other.root === root || other.fingerprint !== fingerprint)
      return shown.some(one =>
        typeof one === 'string'
          ? isAlone && one === fingerprint
          : one.fingerprint === fingerprint && one.root === root,
      )
    }
    const chosen = all.filter(hook => !hook.trusted && hook.fingerprint !== '' && isShown(hook))
    for (const root of new Set(chosen.map(hook => hook.root))) {
      const own = chosen.filter(hook => hook.root === root).map(hook => hook.fingerprint)
      await this.host.trust.add(root, own)
    }
    if (chosen.length > 0) await this.reload()
    return chosen
  }

  onChange(listener: (catalog: Catalog) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  close(): void {
    this.closed = true
    this.watcher?.close()
    this.listeners.clear()
  }

  /** The next event records them, each once. */
  takeUnrecorded(): readonly Issue[] {
    const taken = this.unrecorded
    this.unrecorded = NO_ISSUES
    return taken
  }

  /** A reload that fails for the same reason as the one before is not recorded again. */
  private noteUnverified(catalog: Catalog): void {
    const before = new Set(this.read?.issues.filter(isUnverified).map(({ message }) => message))
    const found = catalog.issues.filter(issue => isUnverified(issue) && !before.has(issue.message))
    if (found.length > 0) this.unrecorded = [...this.unrecorded, ...found]
  }

  private activate(): void {
    this.active = new Map(this.current.byEvent)
    for (const hook of this.functions) {
      const hooks = [...this.of(hook.event), hook].sort((a, b) => a.rank - b.rank)
      this.active.set(hook.event, hooks)
    }
  }

  private options(): DiscoverOptions {
    const { host } = this
    const { pathBase, reload } = host.profile.config
    return {
      platform: host.platform,
      home: host.home,
      ...(host.enterpriseDir === undefined ? {} : { enterpriseDir: host.enterpriseDir }),
      ...(host.teamId === undefined ? {} : { teamId: host.teamId }),
      trustUnsignedTeams: host.trustUnsignedTeams,
      roots: host.workspaceRoots,
      env: host.env,
      claude: host.claude,
      plugins: host.plugins,
      required: host.required,
      requireIntact: host.requireIntact,
      pathBase,
      keepDeleted: reload === 'watch-writes',
      trust: host.trust,
      trustAll: host.trustAll,
      fullCoverage: host.fullCoverage,
    }
  }
}

/** A store without a file is asked at each event, because trust may have been withdrawn. */
function isStillTrusted(hook: HookDefinition, store: TrustStore): boolean | Promise<boolean> {
  if (!hook.trusted) return true
  try {
    const answer = store.has(hook.trustRoot ?? hook.root, hook.fingerprint)
    return typeof answer === 'boolean'
      ? answer
      : answer.then(
          value => value === true,
          () => false,
        )
  } catch {
    return false
  }
}

const wantedBy = ({ source, team }: Layer): WantedBy[] =>
  team?.queue === undefined ? [] : [{ folder: team.queue, records: team.records, file: source.file }]
