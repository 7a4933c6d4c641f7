// The files of one set of hooks.

import {
  type Envelope,
  jsonBytes,
  killedManifest,
  manifestOf,
  type OperatingSystem,
  type ReleasePayload,
  writeEnvelope,
} from '@holdfast/hooks/team'

export interface StoredFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mode: number
}

/** As received. */
export interface Seals {
  readonly release?: Envelope | undefined
  readonly lease?: Envelope | undefined
}

export const setName = (release: number, hash: string): string => `${release}-${hash.slice(0, 16)}`

export const setFiles = (
  release: ReleasePayload,
  system: OperatingSystem,
  scripts: ReadonlyMap<string, Uint8Array>,
  seals: Seals,
): StoredFile[] => [
  ...[...scripts].map(([name, bytes]) => ({ name, bytes, mode: 0o500 })),
  ...envelopeFiles(seals),
  { name: 'manifest.json', bytes: manifestOf(release, system), mode: 0o400 },
]

/** The active release stays beside it, because the releases that it allows to return to still count. */
export const killedFiles = (teamId: string, release: number, seals: Seals): StoredFile[] => [
  ...envelopeFiles(seals),
  { name: 'manifest.json', bytes: killedManifest(teamId, release), mode: 0o400 },
]

const envelopeFiles = ({ release, lease }: Seals): StoredFile[] =>
  Object.entries({ release, lease }).flatMap(([name, envelope]) =>
    envelope ? [{ name: `${name}.json`, bytes: jsonBytes(writeEnvelope(envelope)), mode: 0o400 }] : [],
  )
