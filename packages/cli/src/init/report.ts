// The output of init: the plan before, the next steps after, and the list of examples.

import { relative } from 'node:path'
import { changeRow, type FileRow, fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import { count } from '../print/words.js'
import type { Example } from './example.js'
import type { OptionsFileChange } from './guard-options.js'
import { jobFor } from './job.js'
import type { Choices, InitPlan } from './plan.js'

export function planText(
  { created, kept, hooks, options, level, changes }: InitPlan,
  screen: Screen,
): string {
  const rows: FileRow[] = [
    ...created.map(change => changeRow(change)),
    ...kept.map(({ path, same }) => ({
      word: 'keep',
      path,
      note: same ? 'exists already' : 'exists already, with other content',
    })),
    ...(options ? [optionsRow(options)] : []),
    hooks.change
      ? changeRow(hooks.change, hooks.diff)
      : { word: 'keep', path: level.hooksFile, note: 'has these hooks already' },
  ]
  const where = level.name === 'project' ? `the project ${shortPath(level.folder, screen)}` : 'yourself'
  const head = `hooks for ${where === 'the project .' ? 'this project' : where}`
  const body = fileRows(rows, screen)
  const end = changes.length === 0 ? '\n  Everything is up to date. Nothing was written.\n' : ''
  return `\n  ${screen.bold(head)}\n\n${body.join('\n')}\n${end}\n`
}

const optionsRow = ({ path, change, diff }: OptionsFileChange): FileRow =>
  change ? changeRow(change, diff) : { word: 'keep', path, note: 'has options of these guards already' }

export function writtenText({ level }: InitPlan, choices: Choices, trusted: number, screen: Screen): string {
  const isUser = level.name === 'user'
  const isElsewhere = !isUser && relative(level.folder, screen.cwd).startsWith('..')
  const there = isElsewhere ? ` --root ${shortPath(level.folder, screen)}` : ''
  const guard = choices.events.map(jobFor).find(job => job.kind === 'guard')
  const fire =
    choices.language && guard?.kind === 'guard'
      ? [
          `holdfast fire ${guard.spec.name} --${guard.rule.field.replaceAll('_', '-')} "${guard.rule.stopped}"${there}`,
          'see what it blocks',
        ]
      : [`holdfast list${there}`, 'see all hooks']
  const next = [
    [isUser ? `holdfast test ${shortPath(level.scripts, screen)}` : `holdfast test${there}`, 'run its cases'],
    fire,
    [`holdfast init${isUser ? ' --user' : there} --undo`, 'undo all of this'],
  ]
  const rows = next.map(
    ([command, does]): Row => ({ cells: [{ text: command! }], text: { text: does!, style: screen.dim } }),
  )
  const trust =
    trusted > 0
      ? ` ${count(trusted, 'hook')} ${trusted === 1 ? 'is' : 'are'} trusted as written; you are asked again when one changes.`
      : ''
  return `  ${screen.green('Written.')}${trust}\n\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n`
}

export const planJson = (
  { level, kept, hooks, changes }: InitPlan,
  { written, trusted }: { written: boolean; trusted: number },
) => ({
  level: level.name,
  folder: level.folder,
  written,
  trusted,
  files: [
    ...changes.map(({ path, before, after, mode }) => ({
      path,
      action: before ? 'change' : 'create',
      executable: (mode & 0o111) !== 0,
      bytes: after.length,
    })),
    ...kept.map(({ path, same }) => ({ path, action: 'keep', same })),
  ],
  entries: hooks.added.map(({ event, entry }) => ({ event, ...entry })),
})

export function exampleList(all: readonly Example[], screen: Screen): string {
  if (all.length === 0) return '\n  The examples are missing from this installation.\n\n'
  const rows = all.map(
    ({ name, summary }): Row => ({ cells: [{ text: name }], text: { text: summary, style: screen.dim } }),
  )
  return `\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n  Copy one: holdfast init --example ${all[0]!.name}\n\n`
}
