/**
 * Unique, not secret: for names and ids. Secrets of random bytes come from node:crypto where they are needed, which
 * takes milliseconds to load.
 */
export const uniqueId = (): string =>
  `${process.hrtime.bigint().toString(36)}${Math.random().toString(36).slice(2, 12)}`
