// JSON with integers that a JavaScript number would round. A script must read the id that the agent sent, digit by digit:
// a guard that compares another one than the tool then uses can be passed.

/**
 * An integer beyond 2^53, with its digits. To all other code it is a Number object: it compares, prints and is
 * serialised as the rounded number.
 */
class ExactInteger extends Number {
  constructor(readonly digits: string) {
    super(digits)
  }

  toJSON(): number {
    wasSerialised = true
    return this.valueOf()
  }
}

let wasSerialised = false

/** Like JSON.parse, except that integers which would be rounded keep their digits. */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  // Nearly always: no number has that many digits.
  if (!/\d{16}/.test(text) || typeof parsed !== 'object' || parsed === null) return parsed
  const mark = newMark()
  const marked = markIntegers(text, mark)
  if (marked === text) return parsed
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactInteger(value.slice(mark.length)) : value,
  )
}

/** Like JSON.stringify, with all digits of integers that `parseJson` kept. */
export function writeJson(value: unknown): string {
  wasSerialised = false
  const text = JSON.stringify(value)
  if (!wasSerialised) return text
  const mark = newMark()
  const marked = JSON.stringify(value, function (this: Record<string, unknown>, key, each: unknown) {
    const original = this[key]
    return original instanceof ExactInteger ? mark + original.digits : each
  })
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** No text of an agent can contain it, since it is new at each call. */
const newMark = () => `exact-${process.hrtime.bigint()}-${Math.random().toString(36).slice(2)}:`

/** The text, valid JSON, with a string in place of each integer that would be rounded. */
function markIntegers(text: string, mark: string): string {
  let out = ''
  let done = 0
  let isInString = false
  let at = 0
  for (const { 0: digits, index } of text.matchAll(/\d{16,}/g)) {
    for (let quote = text.indexOf('"', at); quote !== -1 && quote < index; quote = text.indexOf('"', at)) {
      if (!isInString || !isEscaped(text, quote)) isInString = !isInString
      at = quote + 1
    }
    const start = text[index - 1] === '-' ? index - 1 : index
    const end = index + digits.length
    const isInteger = !/[.eE+]/.test(text[start - 1] ?? '') && !/[.eE]/.test(text[end] ?? '')
    if (isInString || !isInteger || Number.isSafeInteger(Number(digits))) continue
    out += `${text.slice(done, start)}"${mark}${text.slice(start, end)}"`
    done = end
  }
  return out + text.slice(done)
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - slashes - 1] === '\\') slashes++
  return slashes % 2 === 1
}
