/** The time that a browser may need to save the file. */
export const KEPT_MS = 120_000

/** Saves a file to the downloads of the browser. */
export function handOver(name: string, file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
