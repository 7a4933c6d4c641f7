// The package has no types of its own; this is all that we use of it.

declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  export function from(text: string): Writable & Submittable
}
