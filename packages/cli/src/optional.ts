// Packages that are installed only where they are used. A missing one is an error with the command that adds it.

import { UsageError } from './usage-error.js'

/** Loads a module that may be missing. `packages` is what provides it and all that it imports. */
export async function loadOptional<T>(
  load: () => Promise<T> | T,
  purpose: string,
  packages: readonly string[],
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    const missing = isMissing && packages.find(name => message.includes(nameOf(name)))
    if (!missing) throw error
    throw new UsageError(
      `${purpose} needs ${nameOf(missing)}. Install it: npm install${isGlobal() ? ' -g' : ''} ${packages.join(' ')}`,
    )
  }
}

/** Without the version. */
const nameOf = (wanted: string): string => wanted.replace(/(?<=.)@.*$/, '')

/** Whether this command is outside of the current folder and of the folders above it, as after `npm install -g`. */
function isGlobal(): boolean {
  const program = process.argv[1] ?? ''
  const modules = program.lastIndexOf('node_modules')
  return modules === -1 || !`${process.cwd()}/`.startsWith(program.slice(0, modules))
}
