// Names of scripts become files on every system, so they must be plain ones on every system.

import { quote } from './strict-json.js'

// What Windows calls devices: also with any ending, and in any case. CONIN$, COM¹ and the like have signs that no name
// may have.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** What a device keeps beside the scripts. */
const OURS: ReadonlySet<string> = new Set(['manifest.json', 'release.json', 'lease.json'])

export function scriptNameProblem(name: string): string | undefined {
  if (!PLAIN.test(name))
    return `The script name ${quote(name)} is not plain: 1 to 100 letters, digits, dots, dashes and underscores, the first a letter or digit.`
  if (name.endsWith('.')) return `The script name ${quote(name)} ends with a dot.`
  if (DEVICE.test(name)) return `The script name ${quote(name)} is that of a device on Windows.`
  if (OURS.has(name.toLowerCase())) return `The script name ${quote(name)} is taken by Holdfast.`
  return undefined
}

/** Several hooks may use one script; two scripts may not share a name, not even in another case. */
export function scriptNamesProblem(
  hooks: Iterable<{ readonly script_name?: string; readonly sha256?: string }>,
): string | undefined {
  const seen = new Map<string, { name: string; sha256: string | undefined }>()
  for (const { script_name: name, sha256 } of hooks) {
    if (name === undefined) continue
    const problem = scriptNameProblem(name)
    if (problem !== undefined) return problem
    const other = seen.get(name.toLowerCase())
    if (other && other.name !== name)
      return `Two scripts are called ${quote(other.name)} and ${quote(name)}, which is one file on some machines. Give one of them another name.`
    if (other && other.sha256 !== sha256)
      return `Two different scripts are called ${quote(name)}, which is one file on a device. Give one of them another name.`
    seen.set(name.toLowerCase(), { name, sha256 })
  }
  return undefined
}
