// The ways to turn the entries of holdfast off, and those that are active in this workspace.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OffSwitch } from '@holdfast/hooks/bridges'
import { getNodeValue } from 'jsonc-parser'
import { isProblem, nodeAt, openDocument } from '../edit/jsonc.js'
import type { Workspace } from '../workspace.js'
import type { Place } from './place.js'
import { flagIn } from './toml.js'

export const switchesFor = ({ bridge, level }: Place): OffSwitch[] =>
  bridge.config.offSwitches.filter(({ only, alsoManaged }) =>
    level === 'managed' ? alsoManaged : only === undefined || only === level,
  )

export interface Active {
  readonly offSwitch: OffSwitch
  readonly file: string
}

export const activeSwitches = (place: Place, { home, roots }: Workspace): Active[] =>
  switchesFor(place).flatMap(offSwitch => {
    const { files = [], key = [], value } = offSwitch.setting ?? {}
    return files
      .flatMap(file =>
        file.startsWith('~/') ? [join(home, file.slice(2))] : roots.map(root => join(root, file)),
      )
      .filter((file, index, all) => all.indexOf(file) === index && settingIn(file, key) === value)
      .map(file => ({ offSwitch, file }))
  })

/** Undefined if the file or the key is missing. */
function settingIn(file: string, key: readonly string[]): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  if (file.endsWith('.toml')) return flagIn(text, key)
  const document = openDocument(text)
  const node = isProblem(document) ? undefined : nodeAt(document, key)
  return node && getNodeValue(node)
}
