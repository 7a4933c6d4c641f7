// SHA-256, loaded when somebody first asks: the module behind it takes milliseconds to start, and many runs of the
// command need no hash at all.

let crypto: typeof import('node:crypto') | undefined

/** Before the first hash. */
export async function loadHash(): Promise<void> {
  crypto ??= await import('node:crypto')
}

export const sha256 = (data: string | Buffer): string =>
  crypto!.createHash('sha256').update(data).digest('hex')
