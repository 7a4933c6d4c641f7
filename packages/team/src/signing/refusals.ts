// Why a device rejects an offered release, in the order of the checks: the first that fails gives the code. A device
// writes nothing of a rejected release and keeps the one before.

import type { EnvelopeCode } from '@holdfast/hooks/team'

interface RefusalRow {
  readonly meaning: string
  readonly remedy: string
}

export const REFUSALS = {
  size: {
    meaning: 'What was offered is larger than is allowed.',
    remedy: 'Keep scripts below 1 MiB and a release below 500 hooks and 16 MiB.',
  },
  form: {
    meaning: 'What was offered is not well-formed.',
    remedy:
      'Ask the people who run the team server to look at it; a proxy between may have changed the answer.',
  },
  type: {
    meaning: 'An envelope of one type was offered as one of another.',
    remedy: 'Ask the people who run the team server to look at it.',
  },
  key: {
    meaning: 'It is signed by a key that the team does not trust.',
    remedy: 'Publish again with a key of the team, or add the key with new root metadata.',
  },
  signature: {
    meaning: 'Its signature does not fit: it was altered, or never signed with that key.',
    remedy: 'Look for who changes the answers of the team server, then synchronise again.',
  },
  team: {
    meaning: 'It belongs to another team.',
    remedy: 'Check the address of the server: holdfast team status. To change teams, leave and log in again.',
  },
  trust: {
    meaning: "The team's list of keys does not continue the one that this device knows.",
    remedy:
      'Serve every version of the root metadata from the first on, each signed by a root key of the previous version and by one of its own.',
  },
  lease: {
    meaning: 'The server did not name this release for this device now.',
    remedy: 'Check the clock of this machine, then synchronise again.',
  },
  downgrade: {
    meaning: 'It is older than what this device has already had.',
    remedy: 'Publish a new, higher release with the hooks of the older one.',
  },
  expired: {
    meaning: 'It must no longer be accepted.',
    remedy: 'Publish the hooks again; check the clock of this machine.',
  },
  names: {
    meaning: 'The name of a script could be another file on some machine.',
    remedy: 'Name scripts with letters, digits, dots, dashes and underscores, each name once.',
  },
  limits: {
    meaning: 'The release is larger than is allowed.',
    remedy: 'Keep scripts below 1 MiB and a release below 500 hooks and 16 MiB.',
  },
  scripts: {
    meaning: 'The bytes of a script are not those that the release names.',
    remedy: 'Look for who changes the answers of the team server, then synchronise again.',
  },
} as const satisfies Record<EnvelopeCode, RefusalRow> & Record<string, RefusalRow>

export type RefusalCode = keyof typeof REFUSALS

export interface Refusal {
  readonly code: RefusalCode
  /** The cause in this case; the table has the remedy. */
  readonly message: string
}
