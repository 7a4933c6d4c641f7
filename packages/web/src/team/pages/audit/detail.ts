// All data of an action beside its sentence, as names and values; ids with their names.

import { line } from '../../../words/plain.js'
import { isFields, type Told, thing } from './told.js'

type Facts = readonly (readonly [string, string])[]

/** Changes as "from → to". */
export function detailOf({ detailJson: json, names }: Pick<Told, 'detailJson' | 'names'>): Facts {
  let detail: unknown
  try {
    detail = JSON.parse(json)
  } catch {
    return json === '' ? [] : [['detail', json]]
  }
  if (!isFields(detail)) return []
  const { before, after, from, to, ...rest } = detail
  const changes: Facts =
    before !== undefined || after !== undefined
      ? changesOf(before, after)
      : from !== undefined || to !== undefined
        ? [['changed', `${said(from)} → ${said(to)}`]]
        : []
  const others = Object.entries(rest)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) => [name.replaceAll('_', ' '), listed(name, value, names) ?? said(value)] as const)
  return [...changes, ...others]
}

/** Lists of hooks and of keys, one by one. */
function listed(field: string, value: unknown, names: Told['names']): string | undefined {
  if (!Array.isArray(value)) return undefined
  const say = (each: unknown): string => {
    if (isFields(each) && typeof each.name === 'string')
      return `${line(each.name)} revision ${said(each.revision)}`
    if (typeof each !== 'string') return said(each)
    if (field === 'ended') return thing(each, names.get(`enrolment-key ${each}`)).text
    const [hook, revision] = each.split('@')
    if (field !== 'hooks' || revision === undefined) return each
    return `${thing(`hook ${hook}`, names.get(`hook ${hook}`)).text} revision ${revision}`
  }
  return value.map(say).join(', ')
}

/** Only differences. */
function changesOf(before: unknown, after: unknown): Facts {
  if (!isFields(before) || !isFields(after)) return [['changed', `${said(before)} → ${said(after)}`]]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map(name => [name, `${said(before[name])} → ${said(after[name])}`] as const)
}

const said = (value: unknown): string =>
  value === '' || value === undefined || value === null
    ? 'none'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
