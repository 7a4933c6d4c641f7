// The files and folders that a call writes, apart from its redirections and copies: downloads, archives, editors without a
// screen.

import type { Call, Word } from './call.js'

/** Programs, the option that names the target, and when the last operand is the target. */
const OUTPUTS: readonly (readonly [names: RegExp, option: RegExp, last?: RegExp])[] = [
  [/^curl$/, /^(?:-[a-zA-Z]*o(.*)|--output(?:=(.*))?|--output-dir(?:=(.*))?)$/],
  [/^wget$/, /^(?:-[a-zA-Z]*[OP](.*)|--output-document(?:=(.*))?|--directory-prefix(?:=(.*))?)$/],
  [/^aria2c$/, /^(?:-[od](.*)|--(?:out|dir)(?:=(.*))?)$/],
  [/^(?:iwr|irm|invoke-webrequest|invoke-restmethod)$/, /^-outf\w*()$/i],
  [/^(?:bsd|g)?tar$/, /^(?:-C(.*)|--directory(?:=(.*))?)$/],
  [/^(?:unzip|cpio)$/, /^-[dD](.*)$/],
  [/^(?:7z|7za|unrar|sort)$/, /^-o(.*)$/],
  [/^git$/, /^--separate-git-dir(?:=(.*))?$/, /^clone \S+ \S/],
  [/^patch$/, /^-[do](.*)$/, /^[^-\s]/],
  [/^(?:ed|ex|vim?|nvim)$/, /^-[wW]()$/, /wq|:x\b/],
]

export function outputsOf({ name, args }: Call): Word[] {
  const [, option, last] = OUTPUTS.find(([names]) => names.test(name)) ?? []
  if (option === undefined) return []
  const line = args.map(({ text }) => text).join(' ')
  if (/tar$/.test(name) && !/(?:^| )(?:-?[a-zA-Z]*x|--extract|--get)/.test(line)) return []
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  const named = args.flatMap(({ text, isKnown }, index) => {
    const match = option.exec(text)
    const value = match?.slice(1).find(Boolean)
    return match
      ? [value === undefined ? (args[index + 1] ?? { text, isKnown }) : { text: value, isKnown }]
      : []
  })
  // Without a name, a download has that of the address.
  const isLoading =
    /^(?:wget|aria2c)$/.test(name) || (name === 'curl' && /(?:^| )(?:-[a-zA-Z]*O|--remote-name)/.test(line))
  const folder = /(?:^| )(?:-P|-d|--dir|--directory-prefix|--output-dir)[ =]?\S/.test(line)
    ? `${named.at(-1)?.text}/`
    : ''
  const loaded = isLoading
    ? operands
        .filter(({ text }) => /[:/.]/.test(text))
        .map(({ text, isKnown }) => ({
          text: folder + text.replace(/[?#].*$/, '').replace(/^.*\//, ''),
          isKnown,
        }))
    : []
  return [...named, ...loaded, ...(last?.test(line) ? operands.slice(-1) : [])]
}
