// Versions of the original in which something changed, oldest first.

export const VERSIONS = ['1.7', '2.0', '2.1', '2.3', '2.4', '3'] as const

export type Version = (typeof VERSIONS)[number]

export const isAtLeast = (version: Version, since: Version): boolean =>
  VERSIONS.indexOf(version) >= VERSIONS.indexOf(since)
