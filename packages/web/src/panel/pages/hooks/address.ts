// The id of a hook contains slashes and dots, so addresses have it in base64.

export function toAddress(id: string): string {
  const bytes = new TextEncoder().encode(id)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Empty for anything that is not such an address. */
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
