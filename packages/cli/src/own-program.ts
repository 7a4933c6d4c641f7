// How other programs start this command: by its name if they find it, otherwise by where it lies.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export const ownProgram = (): string[] =>
  isOnPath() ? ['holdfast'] : [process.execPath, process.argv[1] ?? '']

/** On the path of the person, not only of the npm script that runs us: the other program must find it, too. */
export function isOnPath(): boolean {
  const names = process.platform === 'win32' ? ['holdfast.cmd', 'holdfast.exe'] : ['holdfast']
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => folder !== '' && !/[\\/](?:node_modules[\\/]\.bin|_npx)(?:[\\/]|$)/.test(folder))
    .some(folder => names.some(name => isExecutable(join(folder, name))))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
