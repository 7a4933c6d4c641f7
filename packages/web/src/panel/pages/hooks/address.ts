// A hook's id holds paths and dots; in an address it is one plain word.

export function toAddress(id: string): string {
  const bytes = new TextEncoder().encode(id)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** What is no address of ours leads to no hook. */
export function fromAddress(word: string): string {
  try {
    const bytes = atob(word.replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, byte => byte.charCodeAt(0)),
    )
  } catch {
    return ''
  }
}
