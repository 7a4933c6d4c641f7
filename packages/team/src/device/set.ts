// The files of one set of hooks.

import {
  jsonBytes,
  killedManifest,
  manifestOf,
  type OperatingSystem,
  type ReleasePayload,
  type Sealed,
  writeSeal,
} from '@holdfast/hooks/team'

export interface StoredFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mode: number
}

/** As they came. */
export interface Seals {
  readonly release?: Sealed | undefined
  readonly lease?: Sealed | undefined
}

export const setName = (release: number, hash: string): string => `${release}-${hash.slice(0, 16)}`

export const setFiles = (
  release: ReleasePayload,
  system: OperatingSystem,
  scripts: ReadonlyMap<string, Uint8Array>,
  seals: Seals,
): StoredFile[] => [
  ...[...scripts].map(([name, bytes]) => ({ name, bytes, mode: 0o500 })),
  ...sealFiles(seals),
  { name: 'manifest.json', bytes: manifestOf(release, system), mode: 0o400 },
]

/** The release that was in force stays beside it: what it allows to go back to still counts. */
export const killedFiles = (teamId: string, release: number, seals: Seals): StoredFile[] => [
  ...sealFiles(seals),
  { name: 'manifest.json', bytes: killedManifest(teamId, release), mode: 0o400 },
]

const sealFiles = ({ release, lease }: Seals): StoredFile[] =>
  Object.entries({ release, lease }).flatMap(([name, sealed]) =>
    sealed ? [{ name: `${name}.json`, bytes: jsonBytes(writeSeal(sealed)), mode: 0o400 }] : [],
  )
