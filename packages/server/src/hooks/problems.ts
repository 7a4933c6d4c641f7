// The problems of a draft: values that no device accepts, and issues of the engine when it loads the draft from a
// managed folder. Nothing of the draft is run here.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { LIMITS, OPERATING_SYSTEMS, scriptNameProblem } from '@holdfast/team'
import type { Content, Draft } from './content.js'

export interface DraftProblem {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly field: string
  readonly message: string
  readonly hint: string
}

export async function problemsOf(draft: Draft): Promise<DraftProblem[]> {
  const own = ownProblems(draft)
  // Values that cannot be written to a file cannot be loaded by the engine.
  return own.some(({ severity }) => severity === 'error') ? own : [...own, ...(await engineProblems(draft))]
}

/** Values that no device accepts, and names that are paths. */
export function formProblems(content: Content): DraftProblem[] {
  const found: DraftProblem[] = []
  const error = (field: string, code: string, message: string, hint: string) =>
    void found.push({ severity: 'error', code, field, message, hint })
  const { type, mode, script_name: name, operating_systems: systems } = content
  if (type !== 'command' && type !== 'prompt') {
    error('type', 'team/type', `The type is "${type}".`, 'Use "command" or "prompt".')
  }
  if (mode !== 'enforce' && mode !== 'observe') {
    error('mode', 'team/mode', `The mode is "${mode}".`, 'Use "enforce" or "observe".')
  }
  for (const system of systems) {
    if (OPERATING_SYSTEMS.includes(system)) continue
    error('operating_systems', 'team/os', `"${system}" is not known.`, `Use ${OPERATING_SYSTEMS.join(', ')}.`)
  }
  const problem = type === 'command' ? scriptNameProblem(name ?? '') : undefined
  if (problem) error('script_name', 'team/script-name', problem, 'Give it a plain name, such as guard.sh.')
  return found
}

function ownProblems({ content, script }: Draft): DraftProblem[] {
  const found = formProblems(content)
  const { type, operating_systems: systems } = content
  const error = (field: string, code: string, message: string, hint: string) =>
    void found.push({ severity: 'error', code, field, message, hint })
  if (type === 'command') {
    const size = Buffer.byteLength(script ?? '')
    if (size === 0)
      error('script_content', 'team/script-empty', 'The script is empty.', 'Write it, or use a prompt.')
    if (size > LIMITS.script) {
      error(
        'script_content',
        'team/script-size',
        `The script has ${size} bytes; at most ${LIMITS.script} are delivered.`,
        'Make it smaller.',
      )
    }
    if (size > 0 && !script!.startsWith('#!') && systems.some(system => system !== 'Windows')) {
      found.push({
        severity: 'warning',
        code: 'team/no-interpreter',
        field: 'script_content',
        message: 'The script does not start with #!, so a shell runs it, whatever its language.',
        hint: 'Start with a line such as #!/bin/sh or #!/usr/bin/env node.',
      })
    }
  }
  return found
}

async function engineProblems({ content, script }: Draft): Promise<DraftProblem[]> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-draft-'))
  try {
    const folder = join(home, '.cursor', 'managed', 'team_draft', 'hooks')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // No path from a user is written, not even a validated one: the script has a fixed name here.
    const { script_name: name } = content
    const own = name === undefined ? {} : { script_name: `hook${/\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''}` }
    writeFileSync(join(folder, 'manifest.json'), manifestOf([{ ...content, ...own }]))
    if (own.script_name !== undefined)
      writeFileSync(join(folder, own.script_name), script ?? '', { mode: 0o500 })
    const readable = (text: string) =>
      text
        .replaceAll(join(folder, own.script_name ?? ''), name ?? '~')
        .replaceAll(own.script_name ?? home, name ?? '~')
        .replaceAll(home, '~')
    const hooks = await openHooks({
      workspaceRoots: [],
      home,
      enterpriseDir: join(home, 'none'),
      teamId: 'draft',
      trustUnsignedTeams: true,
      watch: false,
      log: { file: null },
      rehearsal: true,
    })
    try {
      return hooks.issues().map(({ severity, code, path, message, hint }) => ({
        severity: severity === 'error' ? 'error' : 'warning',
        code,
        field: path.replace(/^hooks\[0\]\.?/, ''),
        message: readable(message),
        hint: readable(hint ?? ''),
      }))
    } finally {
      hooks.close()
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** As the device writes it, for this machine. */
export const manifestOf = (hooks: readonly Content[]): string =>
  JSON.stringify({ hooks: hooks.map(hook => ({ ...hook, operating_systems: [], is_active: true })) })
