// The state that the methods share: the workspace, its current hooks, and its runs.

import { statSync } from 'node:fs'
import { type DiscoverOptions, discover, type Hooks, openHooks } from '@holdfast/hooks'
import {
  type Catalog,
  findProfile,
  type HookDefinition,
  type Profile,
  type ProfileName,
} from '@holdfast/hooks/protocol'
import { discoverOptions } from '../catalog.js'
import { lintCatalog } from '../check/lint.js'
import { TODAY } from '../profiles/names.js'
import type { Workspace } from '../workspace.js'
import { openPanelQuestions, type PanelQuestions, type QuestionSource } from './questions.js'
import { type Book, openBook } from './runs/book.js'

export interface Panel {
  readonly workspace: Workspace
  readonly profile: Profile
  /** In the workspace's version; it starts nothing. */
  readonly engine: Hooks
  /** Calls the listener when files, scripts or trust changed. Returns the function that removes it. */
  onChange(listener: () => void): () => void
  close(): void
  readonly book: Book
  readonly questions: PanelQuestions
  /** Everything that is configured, read again with the checks of `holdfast check`. */
  look(): Promise<Catalog>
  readonly options: DiscoverOptions
}

export async function openPanel(workspace: Workspace, source: QuestionSource): Promise<Panel> {
  const open = (profile: ProfileName) =>
    openHooks({ ...workspace.host, profile, watch: true, log: { file: null } })
  const engine = await open(workspace.profile)
  // Old versions do not watch files; a user who looks at hooks here still expects the changes.
  const follower = workspace.profile === TODAY ? engine : await open(TODAY)
  const options = discoverOptions(workspace)
  return {
    workspace,
    profile: findProfile(workspace.profile)!,
    engine,
    onChange(listener) {
      let before = signOf(follower.catalog())
      return follower.onChange(catalog => {
        const now = signOf(catalog)
        if (now === before) return
        before = now
        listener()
      })
    },
    close() {
      engine.close()
      follower.close()
    },
    book: openBook(workspace.logFile, workspace.host.workspaceRoots),
    questions: openPanelQuestions(source),
    // A broken file keeps the hooks that the engine still runs.
    look: async () => lintCatalog(await discover(options, engine.catalog()), options),
    options,
  }
}

export const hooksOf = ({ layers }: Catalog): HookDefinition[] => layers.flatMap(({ hooks }) => hooks)

/** Reading again is not a change; otherwise pages and panel would trigger each other forever. */
const signOf = ({ layers }: Catalog): string =>
  JSON.stringify(
    layers.map(({ source, state, hooks, issues }) => [
      [source.file, stampOf(source.file), state, issues.length],
      hooks.map(({ id, trusted, fingerprint, scripts }) => [
        ...[id, trusted, fingerprint],
        ...scripts.map(({ path, stamp }) => [path, stamp]),
      ]),
    ]),
  )

/** A changed comment is a change for the editor of the file. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : ''
}
