// What will not work where, hook by hook, and a table of all hooks and versions at the end.

import type { ProfileName } from '@holdfast/hooks/protocol'
import { sourcesOf } from '../catalog.js'
import { place } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import { isNarrow, type Screen } from '../print/terminal.js'
import { oneLine, shorten } from '../print/text.js'
import { count, shortHook } from '../print/words.js'
import { rangeOf, versionName } from '../profiles/names.js'
import type { Effect, Subject } from './finding.js'
import { type Judged, standing } from './judge.js'
import type { Looked } from './subjects.js'

export interface Verdicts {
  readonly looked: Looked
  readonly profiles: readonly ProfileName[]
  readonly hooks: readonly { readonly subject: Subject; readonly found: readonly Judged[] }[]
}

export function compatReport(verdicts: Verdicts, screen: Screen): string {
  const blocks = verdicts.hooks.filter(({ found }) => found.length > 0).map(one => hookLines(one, screen))
  const text = [...blocks, table(verdicts, screen), closing(verdicts, screen)]
  return `\n${text.map(block => block.join('\n')).join('\n\n')}\n\n`
}

const styleOf = (effect: Effect | 'works', { red, amber, dim }: Screen) =>
  effect === 'works' ? dim : effect === 'differs' ? (text: string) => text : effect === 'weaker' ? amber : red

function hookLines({ subject, found }: Verdicts['hooks'][number], screen: Screen): string[] {
  const { hook } = subject
  const where = place(hook.file, hook.line, screen)
  const room = Math.max(NAME_ROOM, screen.columns - where.length - hook.event.length - 6)
  const head = `  ${where}  ${screen.bold(hook.event)}  ${shorten(shortHook(hook), room)}`
  const rows = found.map(({ effect, versions, what, fix, at }): Row => {
    const seen = at && at.file !== hook.file ? ` (${place(at.file, at.line, screen)})` : ''
    const told = oneLine(`${what}${seen}`)
    return {
      cells: [{ text: effect, style: styleOf(effect, screen) }, { text: rangeOf(versions) }],
      below: [{ text: told }, { text: oneLine(fix), style: screen.dim }],
    }
  })
  return [head, ...renderRows(rows, [{ least: 7 }, {}], screen.columns, 1)]
}

const NAME_ROOM = 16

/** Hooks down, versions across; on a narrow screen each hook's name has a line of its own. */
function table({ hooks, profiles }: Verdicts, screen: Screen): string[] {
  const narrow = isNarrow(screen)
  const head: Row = {
    cells: [
      ...(narrow ? [] : [{ text: '' }]),
      ...profiles.map(name => ({ text: versionName(name), style: screen.dim })),
    ],
  }
  const rows = hooks.map(({ subject, found }): Row => {
    const words = profiles.map(name => standing(found, name))
    return {
      cells: [
        ...(narrow ? [] : [{ text: `${subject.hook.event} ${shortHook(subject.hook)}` }]),
        ...words.map(word => ({ text: narrow ? SHORT[word] : word, style: styleOf(word, screen) })),
      ],
      ...(narrow ? { text: { text: `${subject.hook.event} ${shortHook(subject.hook)}`, brief: true } } : {}),
    }
  })
  const columns = [...(narrow ? [] : [{ share: 0.4 }]), ...profiles.map(() => ({}))]
  return renderRows([head, ...rows], columns, screen.columns)
}

const SHORT: Readonly<Record<Effect | 'works', string>> = {
  works: 'ok',
  differs: 'diff',
  weaker: 'weak',
  nothing: 'none',
}

function closing({ looked, hooks, profiles }: Verdicts, screen: Screen): string[] {
  const trouble = hooks.filter(({ found }) => found.some(({ effect }) => effect !== 'differs')).length
  const otherwise = hooks.filter(({ found }) => found.length > 0).length - trouble
  const unread = hooks.filter(
    ({ subject }) => subject.hook.type === 'command' && subject.traits.speaks === 'unknown',
  ).length
  const where = `in ${sourcesOf(looked.root)} \u00b7 ${rangeOf(profiles)}`
  const all = count(hooks.length, 'hook')
  return [
    trouble > 0
      ? `  ${screen.red(`${trouble} of ${all}`)} will not work somewhere${otherwise > 0 ? `, ${otherwise} will work in another way` : ''} ${where}`
      : otherwise > 0
        ? `  ${all}, ${otherwise} will work in another way ${where}`
        : `  ${hooks.length === 1 ? 'The hook works' : `All ${all} work`} alike ${where}`,
    ...(unread > 0
      ? [
          screen.dim(
            `  ${count(unread, 'hook')} could not be read, so only what hooks.json says was looked at`,
          ),
        ]
      : []),
    ...(hooks.some(({ found }) => found.length > 0)
      ? [screen.dim('  Scripts were read, not run; see one work: holdfast fire <event> --profile all')]
      : []),
  ]
}
