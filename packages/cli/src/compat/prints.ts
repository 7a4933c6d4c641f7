// What one line of a script puts on stdout: an answer, a text, or something that only running it would tell.

export type Printed = 'json' | 'text' | 'something'

/** Where a statement of a shell begins. */
const ECHO =
  /(?:^|[;&{)]\s{0,9}|\b(?:then|do|else)\s{1,9})\s{0,80}(?:echo|printf)\s{1,9}(?:-[neE]{1,3}\s{1,9})*(['"]?)(.)/
const CALL = /\b(?:print|console\.(?:log|info)|stdout\.write)\(\s{0,9}[a-z]{0,2}(["'`]?)(.)/
const OTHERWISE = /\bjson\.dump\(|(?:^|[\s;&|])jq\s|(?:^|[\s;&])cat\s{0,9}<</

/** Kept in a variable, sent to a file, or read by the next program. */
const KEPT = /\$\(|`|^\s*\w+=/
const ELSEWHERE = />\s{0,9}(?:&2|["'$/\w.])|\|\s{0,9}\w/
const NOT_STDOUT = /\bstderr\b|\bfile\s{0,9}=/

export function printedBy(line: string): Printed | undefined {
  if (NOT_STDOUT.test(line)) return undefined
  const echo = ECHO.exec(line)
  if (echo) {
    const rest = withoutQuoted(line.slice(echo.index))
    if (/\|\s{0,9}jq\b/.test(rest)) return 'something'
    return ELSEWHERE.test(rest) || KEPT.test(line.slice(0, echo.index + 1))
      ? undefined
      : kindOf(echo[2]!, echo[1]!)
  }
  const call = CALL.exec(line)
  if (call) return call[1] === '' ? 'something' : kindOf(call[2]!, call[1]!)
  return OTHERWISE.test(line) && !KEPT.test(line) && !/>\s{0,9}["'$/\w]/.test(withoutQuoted(line))
    ? 'something'
    : undefined
}

/** So that a bar or an arrow inside a text is not taken for a pipe. */
const withoutQuoted = (text: string) => text.replace(/'[^']{0,999}'|"(?:[^"\\]|\\.){0,999}"/g, "''")

/** By the first character: a brace begins an answer, a letter or a bracket a text. */
function kindOf(first: string, quote: string): Printed | undefined {
  if (first === '{' || first === '}') return 'json'
  if (first === quote) return undefined
  return /[\p{L}\p{So}\d[#=*<-]/u.test(first) ? 'text' : 'something'
}
