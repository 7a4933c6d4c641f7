// Loads the modules that start processes with the first of them: they import streams and sockets, which many hosts
// never need.

// Not imported by its name: hosts that are bundled often declare a createRequire of their own.
import modules from 'node:module'

type Children = typeof import('node:child_process')

let loaded: Children | undefined

/** Early versions of Node 20 lack the function; a `require` of its own takes a millisecond longer. */
export function children(): Children {
  loaded ??= (process.getBuiltinModule?.('node:child_process') ??
    modules.createRequire(process.execPath)('node:child_process')) as Children
  return loaded
}
