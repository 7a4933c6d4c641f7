// Adds options of guards to the holdfast.json beside hooks.json. Options of a guard that the file has already stay.

import { dirname, join } from 'node:path'
import { addMembers, applied, nodeAt } from '../edit/jsonc.js'
import { expectType, type FilePlan, parseSettings, planFile } from '../edit/settings-editor.js'

export type GuardOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface OptionsFileChange extends FilePlan {
  readonly path: string
}

export function addGuardOptions(hooksFile: string, guards: GuardOptions): OptionsFileChange {
  const path = join(dirname(hooksFile), 'holdfast.json')
  const plan = planFile(path, '{\n  "guards": {}\n}\n', text => {
    const document = parseSettings(path, text)
    const root = expectType(path, document, document.root, 'object', 'The file')
    const present = nodeAt(document, ['guards'])
    const added = Object.entries(guards).filter(([name]) => !nodeAt(document, ['guards', name]))
    const edits =
      added.length === 0
        ? []
        : present
          ? addMembers(document, expectType(path, document, present, 'object', '"guards"'), added)
          : addMembers(document, root, [['guards', Object.fromEntries(added)]])
    return { text: applied(text, edits), edits }
  })
  return { path, ...plan }
}
