// The ways to turn the entries of holdfast off, and those that are active in this workspace.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OffSwitch } from '@holdfast/hooks/bridges'
import { getNodeValue } from 'jsonc-parser'
import { isProblem, nodeAt, openDocument } from '../edit/jsonc.js'
import type { Workspace } from '../workspace.js'
import type { InstallPlace } from './place.js'
import { flagIn } from './toml.js'

export const switchesFor = ({ bridge, level }: InstallPlace): OffSwitch[] =>
  bridge.config.offSwitches.filter(({ only, alsoManaged }) =>
    level === 'managed' ? alsoManaged : only === undefined || only === level,
  )

export interface Active {
  readonly offSwitch: OffSwitch
  readonly file: string
}

export const activeSwitches = (place: InstallPlace, { home, roots }: Workspace): Active[] =>
  switchesFor(place).flatMap(offSwitch => {
    const { files = [] } = offSwitch.setting ?? {}
    return files
      .flatMap(file =>
        file.startsWith('~/') ? [join(home, file.slice(2))] : roots.map(root => join(root, file)),
      )
      .filter((file, index, all) => all.indexOf(file) === index && isActiveIn(file, offSwitch.setting!))
      .map(file => ({ offSwitch, file }))
  })

function isActiveIn(file: string, { key, value, names }: NonNullable<OffSwitch['setting']>): boolean {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return false
  }
  if (file.endsWith('.env'))
    return names!.some(name => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(text))
  const found = settingIn(file, text, key)
  return names ? names.some(name => isObject(found) && Object.hasOwn(found, name)) : found === value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Undefined if the key is missing. */
function settingIn(file: string, text: string, key: readonly string[]): unknown {
  if (file.endsWith('.toml')) return flagIn(text, key)
  const document = openDocument(text)
  const node = isProblem(document) ? undefined : nodeAt(document, key)
  return node && getNodeValue(node)
}
