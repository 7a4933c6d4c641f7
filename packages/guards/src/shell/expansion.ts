// Texts that a shell makes of words before the program starts: outputs of known programs, formats, braces, and parameters.

import type { ParameterOperation, Word } from 'unbash'
import { type Call, UNKNOWN } from './call.js'

const PRINTS_SETTINGS =
  /^(?:ssh-agent(?: -\w+)*|(?:direnv|conda|micromamba) (?:shell\.\w+ )?hook(?: .*)?|(?:py|rb|nod|go|j|pl)env (?:virtualenv-)?init .*|(?:\S+\/)?brew shellenv|(?:starship|zoxide|atuin|oh-my-posh) init .*|(?:mise|rtx) activate.*|fnm env.*|opam env.*|dircolors.*|lesspipe|docker-machine env.*|minikube .*docker-env|thefuck --alias.*|\w+ completions? \w+)$/

/** The output of calls whose output is known: texts and a few paths. */
export function outputOf(calls: readonly Call[], cwd?: string): string | undefined {
  const [last] = calls.slice(-1)
  if (!last) return undefined
  if (calls.length > 1) {
    // One after the other; in a pipeline only the last one prints.
    const outputs = calls.map(call =>
      calls.some(one => call.from.includes(one)) ? undefined : outputOf([call], cwd),
    )
    return outputs.includes(undefined) ? undefined : outputs.join('')
  }
  const texts = last.args.map(({ text }) => text)
  if (texts.some(text => text.includes(UNKNOWN))) return undefined
  switch (last.name) {
    case 'echo':
      return `${(/^-\w*e/.test(texts[0] ?? '') ? texts.map(unescaped) : texts).filter((text, index) => index > 0 || !/^-[neE]+$/.test(text)).join(' ')}\n`
    case 'printf':
      return texts.length === 0 ? '' : formatted(texts[0]!, texts.slice(1))
    case 'cat':
      return texts.length === 0 ? last.input : undefined
    case 'tee':
      return last.input
    case 'rev':
      return texts.length === 0 && last.input !== undefined
        ? `${[...last.input.trimEnd()].reverse().join('')}\n`
        : undefined
    case 'base64':
      return /^(?:-d|-D|--decode)$/.test(texts.join(' ')) && last.input !== undefined
        ? Buffer.from(last.input, 'base64').toString('utf8').replaceAll('\0', '')
        : undefined
    case 'xxd':
      return last.input !== undefined &&
        texts.every(text => /^-[rp]+$/.test(text)) &&
        texts.join('').includes('r')
        ? Buffer.from(last.input.replace(/\s/g, ''), 'hex').toString('utf8').replaceAll('\0', '')
        : undefined
    case 'find':
      return foundBy('find', texts)
        .map(path => `${path}\n`)
        .join('')
    case 'git':
      return texts.join(' ') === 'rev-parse --show-toplevel' ? (cwd ?? last.cwd) : undefined
    case 'yes':
      return last.args.length > 0 ? `${texts.join(' ')}\n` : 'y\n'
    case 'pwd':
      return cwd ?? last.cwd
    case 'mktemp':
      return '/tmp/tmp.file'
    default:
      // Settings of the shell that the program prints for `eval`.
      return PRINTS_SETTINGS.test(`${last.name} ${texts.join(' ')}`) ? '' : undefined
  }
}

/** Paths that stand for what `find` or `fd` finds: below its folders, with the name that it searches for. */
export function foundBy(program: string, texts: readonly string[]): string[] {
  const isFind = program === 'find'
  const end = texts.findIndex(text => (isFind ? /^[-(!]/ : /^(?:-x|-X|--exec(?:-batch)?)$/).test(text))
  const operands = (end === -1 ? texts : texts.slice(0, end)).filter(text => !text.startsWith('-'))
  const roots = isFind ? operands : operands.slice(1)
  const name = texts[texts.findIndex(text => /^-i?name$/.test(text)) + 1]
  const hasName = isFind
    ? texts.some(text => /^-i?name$/.test(text)) && name !== undefined && !/\s/.test(name)
    : false
  const isChosen = isFind
    ? texts.some(text =>
        /^-(?:i?path|i?regex|[cam](?:time|min)|size|empty|newer\w*|user|group|perm|links|inum)$/.test(text),
      )
    : texts.some(text => /^(?:-[eg]|--extension|--glob)$/.test(text)) || /\w/.test(operands[0] ?? '')
  return (roots.length > 0 ? roots : ['.']).flatMap(root => {
    const folder = root.replace(/\/$/, '')
    if (hasName) return [`${folder}/${name}`]
    return isChosen ? [`${folder}/found`] : [`${folder}/*`, root]
  })
}

/** `printf` uses its format again while values are left. */
export function formatted(format: string, values: readonly string[]): string {
  const places = format.replaceAll('%%', '').match(/%-?\d*[sbdqi]/g)?.length ?? 0
  let next = 0
  let text = ''
  do {
    text += format.replace(/%(?:-?\d*)([sbdqi%])/g, (_, kind) =>
      kind === '%' ? '%' : (values[next++] ?? ''),
    )
  } while (places > 0 && next < values.length && text.length < 65_536)
  return unescaped(text).replaceAll('\0', '\n')
}

const unescaped = (text: string): string =>
  text
    .replace(/\\[uU]([0-9a-fA-F]{4,8})/g, (_, code) =>
      String.fromCodePoint(Number.parseInt(code.slice(0, 4), 16)),
    )
    .replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\0?([0-7]{1,3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')

/** `a{b,c}d` → `abd`, `acd`, up to 32 words. */
export function expandBraces(text: string): string[] {
  const found = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(text)
  if (!found || /\$$/.test(found[1]!)) return [text]
  const [, before, list, after] = found as unknown as [string, string, string, string]
  return list
    .split(',')
    .flatMap(item => expandBraces(`${before}${item}${after}`))
    .slice(0, 32)
}

/** `${name:+x}`, `${name/a/b}` and their like, where all of it is known. */
export function changeOf(
  value: string | undefined,
  operation: ParameterOperation,
  textOf: (word: Word) => string,
): string | undefined {
  if (operation.type === 'Default')
    return operation.operator.endsWith('+') ? (value === undefined ? '' : textOf(operation.operand)) : value
  if (value === undefined || value.includes(UNKNOWN)) return undefined
  switch (operation.type) {
    case 'CaseModification':
      return operation.operator.startsWith('^') ? value.toUpperCase() : value.toLowerCase()
    case 'Replace': {
      const pattern = textOf(operation.pattern)
      const replacement = textOf(operation.replacement)
      if (/[*?[\\\0]/.test(pattern) || replacement.includes(UNKNOWN)) return undefined
      return operation.operator === '//'
        ? value.replaceAll(pattern, () => replacement)
        : value.replace(pattern, () => replacement)
    }
    case 'Remove': {
      const pattern = textOf(operation.operand)
      if (/[[\\\0]/.test(pattern) || value.length > 4096) return undefined
      return removed(value, pattern, operation.operator)
    }
    case 'Slice': {
      const offset = Number(textOf(operation.offset))
      const length = operation.length === undefined ? undefined : Number(textOf(operation.length))
      if (!Number.isInteger(offset) || (length !== undefined && !Number.isInteger(length))) return undefined
      const rest = value.slice(offset)
      return length === undefined ? rest : rest.slice(0, length)
    }
    default:
      return undefined
  }
}

/** `${name%/*}` and its like: the shortest or longest end or start that a pattern fits. */
function removed(value: string, pattern: string, operator: string): string {
  const fits = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]')}$`,
  )
  const isStart = operator.startsWith('#')
  const isLong = operator.length === 2
  const lengths = Array.from({ length: value.length + 1 }, (_, index) => index)
  for (const length of isLong ? lengths.reverse() : lengths) {
    const part = isStart ? value.slice(0, length) : value.slice(value.length - length)
    if (fits.test(part)) return isStart ? value.slice(length) : value.slice(0, value.length - length)
  }
  return value
}
