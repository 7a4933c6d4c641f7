// The same event as a command for a terminal: fields as flags if that is readable, and as a payload otherwise.

import { homedir } from 'node:os'
import { shellWord } from '@holdfast/hooks'
import type { EventSpec } from '@holdfast/hooks/protocol'
import { fieldsOf, flagName, readField } from '../../fields.js'
import { TODAY } from '../../profiles/names.js'
import { nearestRoot, type Workspace } from '../../workspace.js'

/** A longer line is easier to read as a payload. */
const LONGEST_FLAG = 400

export interface FiringRequest {
  readonly spec: EventSpec
  readonly fields: Readonly<Record<string, unknown>>
  /** None: the workspace's own. */
  readonly profiles: readonly string[]
}

export function shellCommand({ spec, fields, profiles }: FiringRequest, workspace: Workspace): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'hook_event_name'))
  const flags = asFlags(spec, given)
  const words = ['holdfast', 'fire', spec.name, ...(flags ?? ['--payload', '-'])]
  const line = [...words, ...workspaceFlags(workspace, profiles)].map(shellWord).join(' ')
  return flags ? line : `printf '%s' ${shellWord(JSON.stringify(given))} | ${line}`
}

/** Undefined if a flag cannot express a field exactly. */
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
    // A value that resembles an option is joined to its flag.
    words.push(...(text.startsWith('-') ? [`--${flag}=${text}`] : [`--${flag}`, text]))
  }
  return words
}

/** The options of the panel for the workspace, as far as a terminal lacks them. */
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
