/** Relative to the workspace: `.cursor/hooks.json:9`. */
export function placeOf(file: string, line: number, roots: readonly string[]): string {
  const root = roots.find(each => file.startsWith(`${each}/`) || file.startsWith(`${each}\\`))
  return `${root ? file.slice(root.length + 1) : file}${line > 0 ? `:${line}` : ''}`
}
