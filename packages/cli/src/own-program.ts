// How other programs start this command: by its name if it is on PATH, otherwise by its path.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export const ownProgram = (): string[] =>
  isOnPath() ? ['holdfast'] : [process.execPath, process.argv[1] ?? '']

/** On the user's PATH, not only on that of the npm script that runs this: the other program must find it as well. */
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
