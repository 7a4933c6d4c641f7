// Compares output with a session, and writes output in the form of a session.

const PLACEHOLDERS: readonly { readonly name: string; readonly source: string }[] = [
  { name: '[MS]', source: String.raw`(?:<1 ms|\d+ ms|\d+\.\d s)` },
  { name: '[TIME]', source: String.raw`(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:\.\d{3}Z)?` },
  { name: '[ID]', source: '[0-9a-f][0-9a-f-]{11,63}' },
  { name: '[PRINT]', source: '(?:[0-9a-f]{4} ){5}[0-9a-f]{4}' },
  { name: '[N]', source: String.raw`\d+(?:\.\d+)?` },
  { name: '[...]', source: '.*' },
]

/** Undefined if it matches; otherwise the first line that differs. */
export function difference(actual: readonly string[], expected: readonly string[]): string | undefined {
  let at = 0
  for (let i = 0; i < expected.length; i++) {
    const line = expected[i]!
    if (line.trim() === '...') {
      const next = expected[i + 1]
      if (next === undefined) return undefined
      while (at < actual.length && !matches(actual[at]!, next)) at++
      continue
    }
    if (at >= actual.length) return `missing: ${line}`
    const taken = linesOf(line, actual, at)
    if (taken === 0) return `expected: ${line}\n  actual: ${actual[at]}`
    at += taken
  }
  return at < actual.length ? `not expected: ${actual[at]}` : undefined
}

/** How many lines form this one: a long duration can move the end of its line to the next. */
function linesOf(line: string, actual: readonly string[], at: number): 0 | 1 | 2 {
  if (matches(actual[at]!, line)) return 1
  const isWrapped = line.includes('[MS]') && matches(`${actual[at]} ${actual[at + 1]?.trimStart()}`, line)
  return isWrapped ? 2 : 0
}

const matches = (actual: string, expected: string) => pattern(expected).test(actual.trimEnd())

function pattern(line: string): RegExp {
  const [, indent = '', rest = ''] = /^( *)(.*?) *$/.exec(line) ?? []
  let source = ''
  for (let at = 0; at < rest.length; ) {
    const placeholder = PLACEHOLDERS.find(({ name }) => rest.startsWith(name, at))
    const spaces = /^ +/.exec(rest.slice(at))?.[0]
    if (placeholder) source += placeholder.source
    else source += spaces ? ' +' : rest[at]!.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
    at += placeholder?.name.length ?? spaces?.length ?? 1
  }
  return new RegExp(`^ {${indent.length}}${source}$`, 'u')
}

/** For writing a session: run it, take the output, and review it with care. */
export const asExpected = (line: string): string =>
  line
    .replace(/<1 ms|\b\d+ ms|\b\d+\.\d s\b/g, '[MS]')
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":[N]')
    .replace(/(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:\.\d{3}Z)?/g, '[TIME]')
    .replace(/(fingerprint(?: |":"))[0-9a-f]{12,64}/g, '$1[ID]')
    .replace(/(?:\b[0-9a-f]{4} ){5}[0-9a-f]{4}\b/g, '[PRINT]')
    .replace(/(?<![0-9a-z])(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64})(?![0-9a-z])/g, '[ID]')
    .replace(/(127\.0\.0\.1:)\d{5}\b/g, '$1[N]')
    .trimEnd()
