// The same event as a command for a terminal: fields as flags where that can be read, and as a payload otherwise.

import { homedir } from 'node:os'
import type { EventSpec } from '@holdfast/hooks/protocol'
import { fieldsOf, flagName, readField } from '../../fields.js'
import { TODAY } from '../../profiles/names.js'
import { nearestRoot, type Workspace } from '../../workspace.js'

/** A longer line is easier to read as a payload. */
const LONGEST_FLAG = 400

export interface Firing {
  readonly spec: EventSpec
  readonly fields: Readonly<Record<string, unknown>>
  /** None: the workspace's own. */
  readonly profiles: readonly string[]
}

export function shellCommand({ spec, fields, profiles }: Firing, workspace: Workspace): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'hook_event_name'))
  const flags = asFlags(spec, given)
  const words = ['holdfast', 'fire', spec.name, ...(flags ?? ['--payload', '-'])]
  const line = [...words, ...workspaceFlags(workspace, profiles)].map(quoted).join(' ')
  return flags ? line : `printf '%s' ${quoted(JSON.stringify(given))} | ${line}`
}

/** Undefined when a field cannot be said by a flag, or not so that it comes out the same. */
function asFlags(spec: EventSpec, fields: Readonly<Record<string, unknown>>): string[] | undefined {
  const known = fieldsOf(spec)
  const words: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    const field = known.get(name)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (!field || text.length > LONGEST_FLAG || text.includes('\0')) return undefined
    const flag = flagName(name)
    try {
      if (JSON.stringify(readField(flag, field, text)) !== JSON.stringify(value)) return undefined
    } catch {
      return undefined
    }
    // A value that looks like an option is one word with its own.
    words.push(...(text.startsWith('-') ? [`--${flag}=${text}`] : [`--${flag}`, text]))
  }
  return words
}

/** What the panel was told about the workspace, as far as a terminal would not know it by itself. */
function workspaceFlags(workspace: Workspace, profiles: readonly string[]): string[] {
  const { roots, cwd, home, host, profile } = workspace
  const named = profiles.length > 0 ? profiles : [profile]
  const isUsual = roots.length === 1 && roots[0] === nearestRoot(cwd, home)
  return [
    ...(isUsual ? [] : roots.flatMap(root => ['--root', root])),
    ...(home === homedir() ? [] : ['--home', home]),
    ...(host.enterpriseDir === undefined ? [] : ['--enterprise', host.enterpriseDir]),
    ...(named.length === 1 && named[0] === TODAY ? [] : ['--profile', named.join(',')]),
    ...(host.claude ? ['--claude'] : []),
    ...(host.plugins ?? []).flatMap(folder => ['--plugin', folder]),
    ...(host.required ?? []).flatMap(source => ['--required', source]),
    ...(host.trustAll ? ['--trust-all'] : []),
  ]
}

/** For sh: nothing in single quotes means anything. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9_/:=.,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
