// The catalog while the host runs: read, followed, and completed with the functions that the host registered.

import {
  type DiscoverOptions,
  discover,
  isUnchanged,
  type Watch,
  watch,
  watchedPaths,
} from './discover/discover.js'
import type { Host } from './host.js'
import type { Catalog, HookDefinition, Layer } from './protocol/config.js'
import type { EventName } from './protocol/events.js'
import type { WantedBy } from './record/teams.js'

const NONE: readonly HookDefinition[] = Object.freeze([])

export class LiveCatalog {
  /** Those that want to hear of runs. */
  teams: readonly WantedBy[] = []
  private readonly listeners = new Set<(catalog: Catalog) => void>()
  private readonly functions: HookDefinition[] = []
  private read: Catalog | undefined
  /** Hooks of each event, files and functions together, highest source first. */
  private active = new Map<EventName, readonly HookDefinition[]>()
  private loading: Promise<Catalog> | undefined
  private watcher: Watch | undefined
  private closed = false

  constructor(private readonly host: Host) {}

  /** What was read last. Nobody asks before the first reading. */
  get current(): Catalog {
    return this.read!
  }

  of(event: EventName): readonly HookDefinition[] {
    return this.active.get(event) ?? NONE
  }

  all(): HookDefinition[] {
    return [...this.active.values()].flat()
  }

  /** The same as `of`; undefined when a script changed since it was looked at, and with it perhaps the trust. */
  fresh(event: EventName): readonly HookDefinition[] | undefined {
    const hooks = this.of(event)
    return hooks.every(isAsItWas) ? hooks : undefined
  }

  /** Of these, the ones whose scripts did not change. */
  unchanged(event: EventName): readonly HookDefinition[] {
    return this.of(event).filter(isAsItWas)
  }

  /** One reading at a time; who asks while one is under way gets a reading that begins afterwards. */
  reload(): Promise<Catalog> {
    const previous = this.loading
    const next = (async () => {
      await previous?.catch(() => {})
      const catalog = await discover(this.options(), this.read)
      this.read = catalog
      this.teams = catalog.layers.flatMap(wantedBy)
      this.activate()
      this.watcher?.update(watchedPaths(this.options(), catalog))
      for (const listener of this.listeners) quietly(() => listener(catalog))
      return catalog
    })()
    this.loading = next
    return next
  }

  async reread(event: EventName): Promise<readonly HookDefinition[]> {
    await this.reload()
    return this.of(event)
  }

  follow(): void {
    const changed = () => {
      if (!this.closed) this.reload().catch(() => {})
    }
    this.watcher = watch(watchedPaths(this.options(), this.current), changed)
  }

  /** Returns how to take the hook back. */
  add(hook: HookDefinition): () => void {
    this.functions.push(hook)
    this.activate()
    return () => {
      const at = this.functions.indexOf(hook)
      if (at >= 0) this.functions.splice(at, 1)
      this.activate()
    }
  }

  async trust(ids?: readonly string[]): Promise<readonly HookDefinition[]> {
    const chosen = this.current.layers
      .flatMap(({ hooks }) => hooks)
      .filter(hook => !hook.trusted && (!ids || ids.includes(hook.id)))
    for (const root of new Set(chosen.map(hook => hook.root))) {
      const fingerprints = chosen.filter(hook => hook.root === root).map(hook => hook.fingerprint)
      await this.host.trust.add(root, fingerprints)
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
      roots: host.workspaceRoots,
      env: host.env,
      claude: host.claude,
      plugins: host.plugins,
      required: host.required,
      pathBase,
      keepDeleted: reload === 'watch-writes',
      trust: host.trust,
      trustAll: host.trustAll,
    }
  }
}

const isAsItWas = (hook: HookDefinition): boolean => hook.fingerprint === '' || isUnchanged(hook)

const wantedBy = ({ source, team }: Layer): WantedBy[] =>
  team?.queue === undefined ? [] : [{ folder: team.queue, records: team.records, file: source.file }]

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // A listener's mistake is not the engine's.
  }
}
