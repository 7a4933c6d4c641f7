// Reads Markdown as far as the tests need it: code blocks, links and headings.

import { filesUnder, type SourceFile } from '../architecture/source.js'

export interface Block {
  readonly page: string
  readonly line: number
  /** The first word after the fence: `json`. */
  readonly language: string
  /** The words after it: `run`, `exit=2`, `output`, `file=a.py`. */
  readonly marks: readonly string[]
  readonly text: string
}

export interface Link {
  readonly page: string
  readonly line: number
  readonly target: string
}

const NOT_OURS = /(^|\/)(node_modules|dist|coverage|\.git)\//

/** Every page of the repository. */
export const pages = (): SourceFile[] => filesUnder('.', path => path.endsWith('.md') && !NOT_OURS.test(path))

export function blocksOf({ path, text }: SourceFile): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; line: number; info: string; lines: string[] } | undefined
  text.split('\n').forEach((line, index) => {
    const [, fence, info = ''] = /^(`{3,})(.*)$/.exec(line) ?? []
    if (!open) {
      if (fence) open = { fence, line: index + 1, info, lines: [] }
    } else if (fence === open.fence && info.trim() === '') {
      const [language = '', ...marks] = open.info.trim().split(/\s+/)
      blocks.push({ page: path, line: open.line, language, marks, text: open.lines.join('\n') })
      open = undefined
    } else open.lines.push(line)
  })
  if (open) throw new Error(`${path}:${open.line} A code block is not closed.`)
  return blocks
}

/** The text without code blocks; lines keep their numbers. */
export function proseOf(text: string): string[] {
  let inBlock = false
  return text.split('\n').map(line => {
    const isFence = /^`{3,}/.test(line)
    if (isFence) inBlock = !inBlock
    return isFence || inBlock ? '' : line
  })
}

export const linksOf = ({ path, text }: SourceFile): Link[] =>
  proseOf(text).flatMap((line, index) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => ({
      page: path,
      line: index + 1,
      target: target!,
    })),
  )

/** The names under which headings can be linked to. */
export const anchorsOf = (text: string): Set<string> =>
  new Set(
    proseOf(text)
      .filter(line => /^#{1,6} /.test(line))
      .map(line =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
  )
