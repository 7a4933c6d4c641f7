// Stores the chain of root metadata as it was received, one file for each version.

import { jsonBytes, type Place, rootMetadataFile, type Sealed, writeSeal } from '@holdfast/hooks/team'
import type { Disk } from './disk.js'

export function saveTrust(place: Place, disk: Disk, last: number, added: readonly Sealed[]): void {
  if (added.length === 0) return
  disk.folder(place.trust)
  added.forEach((sealed, index) => {
    disk.replace(rootMetadataFile(place, last + index + 1), jsonBytes(writeSeal(sealed)), 0o400)
  })
}
