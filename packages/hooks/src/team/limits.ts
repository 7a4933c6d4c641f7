// How much anything may be. Checked before it is read.

const KIB = 1024
const MIB = 1024 * KIB

export const LIMITS = {
  payload: { trust: 64 * KIB, release: MIB, lease: 64 * KIB, head: 4 * KIB },
  signatures: 16,
  trustVersions: 1024,
  hooks: 500,
  /** Of a hook, in characters. */
  prompt: 100_000,
  matcher: 10_000,
  name: 200,
  script: MIB,
  scripts: 16 * MIB,
  /** A whole answer: release, scripts, trust, and the hooks once more in the shape that is not signed. */
  answer: 40 * MIB,
} as const
