// Parses a patch, which some models write instead of calling an edit tool: its files and their edits.

export interface PatchedFile {
  readonly path: string
  readonly edits: readonly { readonly old_string: string; readonly new_string: string }[]
}

interface Hunk {
  readonly old: string[]
  readonly now: string[]
}

const HEAD = /^\*\*\* (Update|Add|Delete) File: (.+)$/
const MOVED = /^\*\*\* Move to: (.+)$/
const END = /^\*\*\* End Patch\s*$/

export function patchedFiles(patch: string): PatchedFile[] {
  const files: { path: string; hunks: Hunk[]; isUpdate: boolean }[] = []
  for (const whole of patch.split(/\r?\n/)) {
    const file = files.at(-1)
    // Between changed lines, a leading space marks a line of the file; elsewhere it is ignored.
    const line = file?.isUpdate && file.hunks.length > 0 ? whole : whole.replace(/^\s+(?=\*\*\* )/, '')
    const [, does, path] = HEAD.exec(line) ?? []
    if (END.test(line)) break
    if (path !== undefined) files.push({ path: path.trim(), hunks: [], isUpdate: does === 'Update' })
    else if (!file) continue
    else if (MOVED.test(line)) file.path = MOVED.exec(line)![1]!.trim()
    else if (line.startsWith('@@')) file.hunks.push({ old: [], now: [] })
    else if (/^[ +-]|^$/.test(line)) {
      if (file.hunks.length === 0) file.hunks.push({ old: [], now: [] })
      const { old, now } = file.hunks.at(-1)!
      if (line[0] !== '+') old.push(line.slice(1))
      if (line[0] !== '-') now.push(line.slice(1))
    }
  }
  return files.map(({ path, hunks }) => ({
    path,
    edits: hunks
      .filter(({ old, now }) => old.length + now.length > 0)
      .map(({ old, now }) => ({ old_string: old.join('\n'), new_string: now.join('\n') })),
  }))
}
