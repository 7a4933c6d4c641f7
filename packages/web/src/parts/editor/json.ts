// JSON with comments, as hooks.json has them.

import { StreamLanguage, type StreamParser } from '@codemirror/language'

interface Reading {
  depth: number
  inComment: boolean
}

const mode: StreamParser<Reading> = {
  name: 'jsonc',
  startState: () => ({ depth: 0, inComment: false }),
  token(stream, state) {
    if (state.inComment) {
      state.inComment = !stream.skipTo('*/')
      if (state.inComment) stream.skipToEnd()
      else stream.match('*/')
      return 'comment'
    }
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match('/*')) {
      state.inComment = true
      return 'comment'
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stream.match(/^\s*:/, false) ? 'propertyName' : 'string'
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number'
    if (stream.match(/^(?:true|false)\b/)) return 'bool'
    if (stream.match(/^null\b/)) return 'null'
    const letter = stream.next()
    if (letter === '{' || letter === '[') state.depth++
    else if (letter === '}' || letter === ']') state.depth = Math.max(0, state.depth - 1)
    else if (letter !== ',' && letter !== ':') return 'invalid'
    return 'bracket'
  },
  indent: ({ depth }, after, { unit }) => Math.max(0, depth - (/^\s*[}\]]/.test(after) ? 1 : 0)) * unit,
  languageData: {
    closeBrackets: { brackets: ['[', '{', '"'] },
    indentOnInput: /^\s*[}\]]$/,
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
  },
}

export const jsonc = () => StreamLanguage.define(mode)
