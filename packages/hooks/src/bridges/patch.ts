// A patch in the form that some models write instead of calling an edit tool: which files it touches, and how.

export interface PatchedFile {
  readonly path: string
  readonly edits: readonly { readonly old_string: string; readonly new_string: string }[]
}

const HEAD = /^\*\*\* (Update|Add|Delete) File: (.+)$/
const MOVED = /^\*\*\* Move to: (.+)$/

export function patchedFiles(patch: string): PatchedFile[] {
  const files: { path: string; hunks: { old: string[]; now: string[] }[] }[] = []
  for (const line of patch.split(/\r?\n/)) {
    const path = HEAD.exec(line)?.[2]
    const file = files.at(-1)
    if (path !== undefined) files.push({ path: path.trim(), hunks: [] })
    else if (!file) continue
    else if (MOVED.test(line)) file.path = MOVED.exec(line)![1]!.trim()
    else if (line.startsWith('@@')) file.hunks.push({ old: [], now: [] })
    else if (/^[ +-]/.test(line)) {
      if (file.hunks.length === 0) file.hunks.push({ old: [], now: [] })
      const hunk = file.hunks.at(-1)!
      if (line[0] !== '+') hunk.old.push(line.slice(1))
      if (line[0] !== '-') hunk.now.push(line.slice(1))
    }
  }
  return files.map(({ path, hunks }) => ({
    path,
    edits: hunks
      .filter(({ old, now }) => old.length + now.length > 0)
      .map(({ old, now }) => ({ old_string: old.join('\n'), new_string: now.join('\n') })),
  }))
}
