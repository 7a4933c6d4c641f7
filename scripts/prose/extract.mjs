// Extracts the English of a source file: its comments, its texts, and the words of its names.

import jsTokens from 'js-tokens'

const LINE_COMMENT = /^\/\/+!?\s?|^#+\s?/
const IGNORED_COMMENT = /^(?:biome-ignore|@ts-|eslint|<reference|!\/)/

/** Segments of a TypeScript or JavaScript file, each with its line; adjacent line comments form one segment. */
export function extractScript(text) {
  const segments = []
  let line = 1
  let comment
  for (const { type, value } of jsTokens(text, { jsx: true })) {
    if (type === 'SingleLineComment') {
      const content = value.replace(LINE_COMMENT, '')
      if (comment && comment.end === line - 1) {
        comment.text += `\n${content}`
        comment.end = line
      } else if (!IGNORED_COMMENT.test(content)) {
        comment = { kind: 'comment', line, end: line, text: content }
        segments.push(comment)
      }
    } else if (type === 'MultiLineComment') {
      const content = value.slice(2, -2).replace(/^[ \t]*\*+ ?/gm, '')
      segments.push({ kind: 'comment', line, text: content })
    } else if (type === 'StringLiteral') {
      segments.push({ kind: 'text', line, text: value.slice(1, -1).replace(/\\n/g, '\n').replace(/\\/g, '') })
    } else if (type.startsWith('Template')) {
      // `${…}` stands between two parts; one character keeps the words on both sides apart.
      segments.push({ kind: 'text', line, text: value.replace(/^[`}]|`$|\$\{$/g, '') })
    } else if (type === 'JSXText') segments.push({ kind: 'text', line, text: value })
    else if (type === 'IdentifierName') segments.push({ kind: 'name', line, text: value })
    line += value.split('\n').length - 1
  }
  return segments
}

/** Segments of a Python or shell file. */
export function extractHashComments(text) {
  const segments = []
  const pattern = /^[ \t]*#(?!!) ?(.*)$|"""([\s\S]*?)"""/gm
  for (const match of text.matchAll(pattern)) {
    const line = text.slice(0, match.index).split('\n').length
    const previous = segments.at(-1)
    if (match[1] !== undefined && previous?.end === line - 1) {
      previous.text += `\n${match[1]}`
      previous.end = line
    } else segments.push({ kind: 'comment', line, end: line, text: match[1] ?? match[2] })
  }
  return segments
}
