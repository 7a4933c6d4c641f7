// What does not work where, hook by hook, then a table of all hooks and versions, then what is only possible.

import { sourcesOf } from '../catalog.js'
import { place } from '../print/place.js'
import { indented, type Row, renderRows } from '../print/rows.js'
import { isNarrow, type Screen } from '../print/terminal.js'
import { oneLine, shorten } from '../print/text.js'
import { count, shortHook } from '../print/words.js'
import { rangeOf, versionName } from '../profiles/names.js'
import type { FindingEffect, Subject } from './finding.js'
import { isProven, type JudgedHook, standing, type Verdicts } from './judge.js'

export function compatReport(verdicts: Verdicts, screen: Screen): string {
  const proven = verdicts.hooks.flatMap(({ subject, found }) => {
    const shown = found.filter(isProven)
    return shown.length > 0 ? [hookLines(subject, shown, screen)] : []
  })
  const blocks = [
    ...proven,
    table(verdicts, screen),
    possibleLines(verdicts, screen),
    closing(verdicts, screen),
  ]
  const text = blocks.filter(block => block.length > 0).map(block => block.join('\n'))
  return `\n${text.join('\n\n')}\n\n`
}

const styleOf = (effect: FindingEffect | 'works', { red, amber, dim }: Screen) =>
  effect === 'works' ? dim : effect === 'differs' ? (text: string) => text : effect === 'weaker' ? amber : red

function hookLines({ hook }: Subject, found: readonly JudgedHook[], screen: Screen): string[] {
  const where = place(hook.file, hook.line, screen)
  const room = Math.max(NAME_ROOM, screen.columns - where.length - hook.event.length - 6)
  const head = `  ${where}  ${screen.bold(hook.event)}  ${shorten(shortHook(hook), room)}`
  const rows = found.map(
    (one): Row => ({
      cells: [{ text: one.effect, style: styleOf(one.effect, screen) }, { text: rangeOf(one.versions) }],
      below: [{ text: oneLine(one.what) }, { text: oneLine(one.fix), style: screen.dim }],
    }),
  )
  return [head, ...renderRows(rows, [{ least: 7 }, {}], screen.columns, 1)]
}

const NAME_ROOM = 16

/** Hooks down, versions across; on a narrow screen the name is behind short words. */
function table({ hooks, profiles }: Verdicts, screen: Screen): string[] {
  const taken = profiles.reduce((sum, name) => sum + Math.max(WORD, versionName(name).length) + 2, 2)
  const narrow = isNarrow(screen) || taken + LEAST_NAME > screen.columns
  const head: Row = {
    cells: [
      ...(narrow ? [] : [{ text: '' }]),
      ...profiles.map(name => ({ text: versionName(name), style: screen.dim })),
    ],
  }
  const rows = hooks.map(({ subject, found }): Row => {
    const words = profiles.map(name => standing(found, name))
    const name = `${subject.hook.event} ${shortHook(subject.hook)}`
    return {
      cells: [
        ...(narrow ? [] : [{ text: name }]),
        ...words.map(word => ({ text: narrow ? SHORT[word] : word, style: styleOf(word, screen) })),
      ],
      ...(narrow ? { text: { text: name, brief: true } } : {}),
    }
  })
  const columns = [...(narrow ? [] : [{ share: 0.4 }]), ...profiles.map(() => ({}))]
  return renderRows([head, ...rows], columns, screen.columns)
}

/** The longest word of the table. */
const WORD = 'nothing'.length
const LEAST_NAME = 40

const SHORT: Readonly<Record<FindingEffect | 'works', string>> = {
  works: 'ok',
  differs: 'diff',
  weaker: 'weak',
  nothing: 'none',
}

/** Each finding once, with all hooks that it may concern. */
function possibleLines({ hooks }: Verdicts, screen: Screen): string[] {
  const groups = new Map<string, { readonly one: JudgedHook; readonly places: string[] }>()
  for (const { subject, found } of hooks) {
    for (const one of found.filter(each => !isProven(each))) {
      const key = JSON.stringify([one.what, one.fix, one.versions])
      const group = groups.get(key) ?? { one, places: [] }
      group.places.push(place(subject.hook.file, subject.hook.line, screen))
      groups.set(key, group)
    }
  }
  if (groups.size === 0) return []
  const rows = [...groups.values()].map(({ one, places }): Row => {
    const more = places.length > MOST_PLACES ? ` and ${places.length - MOST_PLACES} more` : ''
    const where = `${places.slice(0, MOST_PLACES).join(', ')}${more}`
    return {
      cells: [{ text: 'maybe', style: screen.dim }, { text: rangeOf(one.versions) }],
      below: [{ text: oneLine(one.what) }, { text: oneLine(one.fix), style: screen.dim }, { text: where }],
    }
  })
  return [
    ...indented({ text: POSSIBLY, style: screen.bold }, 2, screen.columns),
    ...renderRows(rows, [{ least: 7 }, {}], screen.columns, 1),
  ]
}

const POSSIBLY = 'Possibly: this depends on what the scripts do, and does not change the exit code'
const MOST_PLACES = 3

/** Something does not work, or an action that the hook blocks can proceed. */
export const isTrouble = ({ found }: Verdicts['hooks'][number]): boolean =>
  found.some(one => isProven(one) && one.effect !== 'differs')

function closing({ layers, hooks, profiles, rehearsed }: Verdicts, screen: Screen): string[] {
  const trouble = hooks.filter(isTrouble).length
  const otherwise = hooks.filter(({ found }) => found.some(isProven)).length - trouble
  const all = count(hooks.length, 'hook')
  const unrun = rehearsed ? hooks.filter(({ subject }) => !rehearsed.has(subject.hook.id)).length : 0
  const basis = rehearsed
    ? `Sample events were fired in every version${unrun > 0 ? `; ${count(unrun, 'hook')} did not run` : ''}. For your own event: holdfast fire <event> --profile all`
    : 'No hook was run. To compare their responses as well: holdfast compat --run'
  return [
    trouble > 0
      ? `  ${screen.red(`${trouble} of ${all}`)} will not work somewhere${otherwise > 0 ? `, ${otherwise} will work in another way` : ''}`
      : otherwise > 0
        ? `  ${all}, ${otherwise} will work in another way`
        : `  No proven difference for ${hooks.length === 1 ? 'this hook' : `these ${all}`}`,
    `  in ${sourcesOf(layers)} \u00b7 ${rangeOf(profiles)}`,
    ...indented({ text: basis, style: screen.dim }, 2, screen.columns),
  ]
}
