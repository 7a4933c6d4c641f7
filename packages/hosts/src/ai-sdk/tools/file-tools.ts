// Read, Write and Delete, inside the workspace.

import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { tool } from 'ai'
import type { PreparedOptions } from '../agent/tool-call.js'
import { bounded } from './bounded.js'
import { type HeldFile, holdFile, insideWorkspace } from './files.js'
import { inputOf, maybe, text, whole } from './input.js'

const LINES = 2_000

export const readTool = (workspace: string) =>
  tool({
    description: `Reads a text file. At most ${LINES} lines at once; "offset" reads on.`,
    inputSchema: inputOf({
      file_path: text('The path of the file, relative to the workspace or absolute.'),
      offset: maybe(whole('The number of lines to skip at the beginning.')),
      limit: maybe(whole('The number of lines to read.')),
    }),
    execute: async ({ file_path, offset = 0, limit = LINES }, options: PreparedOptions) => {
      // Reads once: a second read could return another file than the one that hooks judged.
      const held = options.prepared as HeldFile | undefined
      const { content } = held ?? (await holdFile(workspace, file_path))
      const lines = content.split('\n')
      const taken = lines.slice(offset, offset + Math.min(limit, LINES))
      const left = lines.length - offset - taken.length
      return bounded(taken.join('\n')) + (left > 0 ? `\n[${left} more lines]` : '')
    },
  })

export const writeTool = (workspace: string) =>
  tool({
    description: 'Writes the complete content of a file. Missing folders are created.',
    inputSchema: inputOf({
      file_path: text('The path of the file, relative to the workspace or absolute.'),
      content: text('The complete content.'),
    }),
    execute: async ({ file_path, content }, options: PreparedOptions) => {
      const held = options.prepared as HeldFile | undefined
      const place = held?.path ?? (await insideWorkspace(workspace, file_path))
      await mkdir(dirname(place), { recursive: true })
      await writeFile(place, content)
      return `Wrote ${Buffer.byteLength(content)} bytes to ${file_path}.`
    },
  })

export const deleteTool = (workspace: string) =>
  tool({
    description: 'Deletes a file.',
    inputSchema: inputOf({ file_path: text('The path of the file, relative to the workspace or absolute.') }),
    execute: async ({ file_path }) => {
      // Deleting a link removes the link, so its folder must be inside, not its target.
      const wanted = resolve(workspace, file_path)
      const folder = await insideWorkspace(workspace, dirname(wanted))
      const place = resolve(folder, wanted.slice(dirname(wanted).length).replace(/^[/\\]/, ''))
      const found = await lstat(place).catch(() => undefined)
      if (!found) throw new Error(`${file_path} does not exist.`)
      if (found.isDirectory()) throw new Error(`${file_path} is a folder; only files are deleted.`)
      await rm(place)
      return `Deleted ${file_path}.`
    },
  })
