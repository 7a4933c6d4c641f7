// Credentials in prompts, files, edits and the output of tools. Reports kinds and lines, never a value.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { findingOf, type Guard, type Judgement, listOf, NOTHING, type Payload } from '../guard.js'
import { attachmentsOf, filesOf, mcpOf, textsOf } from '../payload.js'
import { findSecrets, redact, type Secret } from './find.js'

const ALTERNATIVES = {
  'secrets/content': 'Use the name of a variable or a placeholder, as in `cat .env.example`.',
} as const
const finding = findingOf(ALTERNATIVES)

/** Where a text goes. */
const PLACES: Readonly<Record<string, string>> = {
  prompt: 'The message',
  content: 'The file',
  output: 'The output',
  tool_output: 'The output of the tool',
  result_json: 'The output of the tool',
}

export const secrets: Guard = {
  name: 'secrets',
  summary: 'credentials in prompts, files, edits and the output of tools',
  options: {
    redact: { type: 'switch', about: 'replace secrets in the output of MCP tools', default: true },
    allow: {
      type: 'list',
      about: 'kinds that are not reported, such as "a signed token (JWT)"',
      default: [],
    },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options, { cwd }): Judgement {
    const allowed = new Set(listOf(options, 'allow'))
    const findings = []
    for (const [name, text] of [...textsOf(payload), ...contentsOf(payload, cwd)]) {
      const found = secretsIn(name, text).filter(({ kind }) => !allowed.has(kind))
      if (found.length === 0) continue
      const what = [
        ...new Map(found.map(({ kind, line }) => [kind, `${kind} in line ${line}`])).values(),
      ].join(', ')
      findings.push(finding('secrets/content', `${PLACES[name] ?? `"${name}"`} has ${what}.`))
    }
    if (findings.length === 0) return NOTHING
    return options.redact !== false && isMcpOutput(payload)
      ? { findings, output: withoutSecrets(outputOf(payload), allowed) }
      : { findings }
  },
}

/** Files of which only the path is sent: attachments, and what a host reads without sending the content. */
function contentsOf(payload: Payload, cwd: string): [name: string, text: string][] {
  const own = payload.content === '' ? [filesOf(payload)[0]?.path] : []
  return [...own, ...attachmentsOf(payload)].flatMap((path): [string, string][] =>
    path === undefined ? [] : [[path, startOf(resolve(cwd, path))]],
  )
}

const LONGEST = 1024 * 1024

function startOf(file: string): string {
  let fd: number | undefined
  try {
    // Opening a pipe would wait for a writer.
    if (!statSync(file).isFile()) return ''
    fd = openSync(file, 'r')
    const buffer = Buffer.alloc(LONGEST)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, LONGEST, 0))
  } catch {
    // The host cannot read it either.
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const isMcpOutput = (payload: Payload): boolean =>
  'tool_output' in payload && (mcpOf(payload) !== undefined || /^MCP:/.test(String(payload.tool_name)))

function outputOf({ tool_output: output }: Payload): unknown {
  if (typeof output !== 'string') return output
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}

/** A value can be a secret because of its name: `"password": "…"`. */
const secretsIn = (name: string, text: string): readonly Secret[] => {
  const found = findSecrets(text)
  if (found.length > 0 || text.includes('\n') || text.length > 200) return found
  return findSecrets(`${name}: ${JSON.stringify(text)}`).map(one => ({ ...one, start: 0, end: text.length }))
}

/** Texts at any depth. */
function withoutSecrets(value: unknown, allowed: ReadonlySet<string>, name = ''): unknown {
  if (typeof value === 'string')
    return redact(
      value,
      secretsIn(name, value).filter(({ kind }) => !allowed.has(kind)),
    )
  if (Array.isArray(value)) return value.map(inner => withoutSecrets(inner, allowed, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, allowed, key)]),
    )
  return value
}
