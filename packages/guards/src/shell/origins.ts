// Where the output of a program comes from: the network, an encoding, or a file with secrets. A value that is not known
// before the command runs carries its origin as a mark, so that code and data made of it can be judged.

import { type Call, UNKNOWN } from './call.js'
import { secretOf } from './paths.js'

export type Origin = 'remote' | 'decoded' | 'secret'

const MARKS: Readonly<Record<Origin, string>> = { remote: '\uE001', decoded: '\uE002', secret: '\uE003' }

export const unknownFrom = (origin: Origin | undefined): string =>
  origin === undefined ? UNKNOWN : UNKNOWN + MARKS[origin]

export const hasOrigin = (text: string, origin: Origin): boolean => text.includes(UNKNOWN + MARKS[origin])

/** Of code that consists of a value, or has a command that does. */
export function originOfCode(code: string): 'remote' | 'decoded' | undefined {
  for (const origin of ['remote', 'decoded'] as const)
    if (
      code
        .split(UNKNOWN + MARKS[origin])
        .some((before, index, all) => index < all.length - 1 && /(?:^|[;\n&|(])\s*$/.test(before))
    )
      return origin
  return undefined
}

const DOWNLOADS =
  /^(?:curl|wget|fetch|aria2c|axel|http|https|xh|lynx|w3m|links|elinks|get|lwp-request|lwp-download|iwr|invoke-webrequest|irm|invoke-restmethod|ftp|lftp|scp|nc|ncat|netcat|gh|aws|gsutil|start-bitstransfer|certutil|bitsadmin)$/

/** Whether the output of a download has what it loaded, and not a file. */
export const printsDownload = (call: Call): boolean => {
  const line = call.args.map(({ text }) => text).join(' ')
  if (!isDownload(call)) return false
  if (call.name === 'wget')
    return /(?:^| )-\w*O ?-|(?:-O|--output-document)[= ]?(?:-|\/dev\/stdout)(?: |$)/.test(line)
  if (/^(?:scp|aria2c|axel|sftp)$/.test(call.name)) return false
  return (
    call.name !== 'curl' ||
    !/(?:^| )(?:-[a-zA-Z]*o ?(?!-(?: |$)|\/dev\/stdout)\S|-[a-zA-Z]*O|--output[= ](?!-(?: |$))|--remote-name)/.test(
      line,
    )
  )
}

export const isDownload = ({ name, args, redirects }: Call): boolean =>
  redirects.some(
    ({ operator, target }) => operator.startsWith('<') && /^\/dev\/(?:tcp|udp)\//.test(target.text),
  ) ||
  (name === 'cat' && args.some(({ text }) => /^\/dev\/(?:tcp|udp)\//.test(text))) ||
  isLoading(name, args)

const isLoading = (name: string, args: Call['args']): boolean =>
  DOWNLOADS.test(name) &&
  !args.some(
    ({ text }, index) =>
      /^file:|^--offline$/.test(text) ||
      // After an option it can be a value.
      (/^--(?:version|help|manual)$/.test(text) && !/^-/.test(args[index - 1]?.text ?? '')),
  ) &&
  !/^-[Vh]$/.test(args[0]?.text ?? '') &&
  (!/^(?:gh|aws|gsutil)$/.test(name) || args.some(({ text }) => /^(?:cp|api|download|cat)$/.test(text)))

/** Programs that decode, decompress or unpack: their output is unknown. */
export function isDecoding({ name, args }: Call): boolean {
  const line = args.map(({ text }) => text).join(' ')
  switch (name) {
    case 'base64':
    case 'base32':
    case 'basenc':
      return /(?:^| )-\w*[dD]|--decode/.test(line)
    case 'xxd':
      return /-\w*r/.test(line)
    case 'openssl':
      return /(?:enc|base64).*-d/.test(line)
    case 'tar':
    case 'bsdtar':
      return /(?:^| )-?\w*x\w*O|--to-stdout|(?:^| )-O(?: |$)/.test(line)
    case 'unzip':
      return /(?:^| )-\w*p/.test(line)
    case 'gpg':
      return /(?:^| )(?:-\w*d|--decrypt)/.test(line)
    case 'gzip':
    case 'xz':
    case 'bzip2':
    case 'zstd':
      return /(?:^| )-\w*d/.test(line)
    default:
      return /^(?:funzip|uudecode|gunzip|zcat|bzcat|xzcat|zstdcat|rev|tr|7z)$/.test(name)
  }
}

/** The name of a file with secrets, also compressed or behind `name=@`. */
export const isSecret = (text: string): boolean =>
  secretOf(text) !== undefined ||
  secretOf(text.replace(/^[^@=]*[@=]/, '')) !== undefined ||
  secretOf(text.replace(/\.(?:xz|gz|bz2|zst|zip|tar|tgz|b64)$/, '')) !== undefined

/** They name a file without showing what is in it. */
const NAMES_ONLY =
  /^(?:echo|printf|ls|stat|test|\[|find|git|rm|touch|chmod|chown|mkdir|basename|dirname|realpath|wc|md5sum|sha\d*sum|file|du|source|\.)$/

export const readsSecret = ({ name, args, redirects }: Call): boolean =>
  (!NAMES_ONLY.test(name) && args.some(({ text }) => isSecret(text))) ||
  redirects.some(({ operator, target }) => operator === '<' && isSecret(target.text)) ||
  (/^(?:env|printenv|set|declare|export|typeset)$/.test(name) &&
    args.every(({ text }) => /^-[px]+$/.test(text)))

/** Of what the calls print together. */
export function originOf(calls: readonly Call[]): Origin | undefined {
  const all = calls.flatMap(call => [call, ...call.from])
  if (all.some(readsSecret)) return 'secret'
  if (all.some(isDownload)) return 'remote'
  return all.some(isDecoding) ? 'decoded' : undefined
}
