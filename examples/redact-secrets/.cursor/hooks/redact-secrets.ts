// Keeps files with secrets away from the model, for the agent and for inline completion. A hook cannot change the
// content of a read, so it denies the whole file. The message gives the place of the secret, not its value.

import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { deny, hook, workspacePath } from '@holdfast/hooks/sdk'
import { secretContent } from './secret-content.js'
import { secretName } from './secret-names.js'

interface Read {
  readonly workspace_roots: string[]
  readonly file_path: string
  readonly content: string
  readonly attachments?: readonly unknown[]
}

function judge(read: Read) {
  // Not every host sends the content.
  const content = read.content || contentOf(resolved(read, read.file_path))
  const trouble = secretName(names(read, read.file_path)) ?? secretContent(content)
  if (trouble) return refused(workspacePath(read, read.file_path), trouble)
  for (const path of attached(read)) {
    const trouble = secretName(names(read, path)) ?? secretContent(contentOf(resolved(read, path)))
    if (trouble) return refused(`the attachment ${workspacePath(read, path)}`, trouble)
  }
}

const refused = (what: string, trouble: string) =>
  deny(`Not read: ${what} ${trouble}. Move the secret out of the file, or read it yourself.`, {
    agent: `${what} stays on this machine: it ${trouble}. Do not read it in another way. Work with the names of its settings, or ask the user for what you need.`,
  })

const resolved = ({ workspace_roots }: Read, path: string) => resolve(workspace_roots[0] ?? '.', path)

/** Checks the given name and the target of a link: a link must not hide a file. */
function names(read: Read, path: string): string[] {
  const file = resolved(read, path)
  try {
    return [file, realpathSync(file)]
  } catch {
    return [file]
  }
}

const attached = ({ attachments = [] }: Read): string[] =>
  attachments.flatMap(item => {
    const path = (item as { file_path?: unknown } | null)?.file_path
    return typeof path === 'string' && basename(path) !== '' ? [path] : []
  })

/** If only the name is sent, as for an attachment, the first megabyte is read. */
function contentOf(file: string): string {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const buffer = Buffer.alloc(1024 * 1024)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0))
  } catch {
    // The file is missing, or a folder: there is nothing to protect.
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export default hook({ beforeReadFile: judge, beforeTabFileRead: judge })
