/** As long as a browser may take to copy it. */
export const KEPT_MS = 120_000

/** To where downloads go. */
export function handOver(name: string, file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
