// Stores the chain of root metadata as it was received, one file for each version.

import { type Envelope, jsonBytes, type Place, rootMetadataFile, writeEnvelope } from '@holdfast/hooks/team'
import type { Disk } from './disk.js'

export function saveTrust(place: Place, disk: Disk, last: number, added: readonly Envelope[]): void {
  if (added.length === 0) return
  disk.folder(place.trust)
  added.forEach((envelope, index) => {
    disk.replace(rootMetadataFile(place, last + index + 1), jsonBytes(writeEnvelope(envelope)), 0o400)
  })
}
