// Possible problems of a device, besides rejected offers. None of these removes a hook.

import { REFUSALS, type RefusalCode } from '../signing/refusals.js'

export const PROBLEMS = {
  offline: {
    meaning: 'The team server cannot be reached.',
    remedy: 'Check the network and the address of the server: holdfast team status',
  },
  unauthorized: {
    meaning: 'The team server does not accept this device any more.',
    remedy: 'Log in again: holdfast login',
  },
  server: {
    meaning: 'The team server could not answer.',
    remedy: 'It is tried again by itself. If it lasts, tell the people who run the server.',
  },
  answer: {
    meaning: 'What answered does not speak as a team server does.',
    remedy: 'Check the address of the server, and whether this network shows a sign-in page.',
  },
  disk: {
    meaning: 'The hooks of the team could not be written.',
    remedy: 'Make room on the disk and check the permissions of ~/.cursor/managed.',
  },
  tampered: {
    meaning: 'Another program changed the hooks of the team on this machine.',
    remedy: 'holdfast team sync restores them. Find the program that writes to ~/.cursor/managed.',
  },
  audit: {
    meaning: 'The admin log of the team server contradicts its earlier head.',
    remedy: 'Ask the owner of the team to run: holdfast audit verify',
  },
  enrolment: {
    meaning: 'This machine does not belong to a team.',
    remedy: 'Log in: holdfast login',
  },
  busy: {
    meaning: 'Another process is synchronising.',
    remedy: 'Wait a moment and try again.',
  },
} as const

export type ProblemCode = RefusalCode | keyof typeof PROBLEMS

export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  /** When it was last seen. */
  readonly at: string
}

export const problemAt = (
  { now }: { readonly now: () => number },
  code: ProblemCode,
  message: string,
): Problem => ({ code, message, at: new Date(now()).toISOString() })

export const rowOf = (code: ProblemCode): { readonly meaning: string; readonly remedy: string } =>
  ({ ...REFUSALS, ...PROBLEMS })[code]

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
