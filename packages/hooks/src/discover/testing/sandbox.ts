// For tests of loading: a home, a project and an enterprise folder that are removed afterwards.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'
import type { Catalog, Issue } from '../../protocol/config.js'
import { type DiscoverOptions, discover, memoryTrustStore } from '../discover.js'

const folders: string[] = []

/** Call once per test file. */
export function cleanUp(): void {
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
}

export interface Sandbox {
  readonly home: string
  readonly root: string
  readonly enterprise: string
  path(...parts: string[]): string
  /** Objects become JSON. The path starts at the sandbox. */
  write(path: string, content: unknown, mode?: number): string
  hooks(content: unknown): string
  options(change?: Partial<DiscoverOptions>): DiscoverOptions
  discover(change?: Partial<DiscoverOptions>, previous?: Catalog): Promise<Catalog>
}

export function sandbox(): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-discover-')))
  folders.push(base)
  const [home, root, enterprise] = [join(base, 'home'), join(base, 'project'), join(base, 'machine')]
  for (const folder of [home, root, enterprise]) mkdirSync(folder)
  const trust = memoryTrustStore()
  const options = (change: Partial<DiscoverOptions> = {}): DiscoverOptions => ({
    platform: process.platform,
    home,
    enterpriseDir: enterprise,
    roots: [root],
    env: { PATH: process.env.PATH },
    claude: false,
    plugins: [],
    required: [],
    pathBase: 'root',
    trust,
    trustAll: true,
    ...change,
  })
  const write = (path: string, content: unknown, mode = 0o644) => {
    const file = join(base, path)
    mkdirSync(dirname(file), { recursive: true })
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2), { mode })
    return file
  }
  return {
    home,
    root,
    enterprise,
    path: (...parts) => join(base, ...parts),
    write,
    hooks: content => write('project/.cursor/hooks.json', content),
    options,
    discover: (change, previous) => discover(options(change), previous),
  }
}

export const codes = (issues: readonly Issue[]): string[] => issues.map(issue => issue.code)

export const hooksOf = (catalog: Catalog) => catalog.layers.flatMap(layer => layer.hooks)

export const layerOf = (catalog: Catalog, kind = 'project') => {
  const layer = catalog.layers.find(({ source }) => source.kind === kind)
  if (!layer) throw new Error(`no ${kind} layer`)
  return layer
}
