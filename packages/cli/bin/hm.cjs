#!/usr/bin/env node
// Starts the command. `fire` and `bridge` stand in the way of an agent, so what V8 compiled the first time is kept beside
// the bundle and used again. Without that file, or with another Node, everything works the same.

'use strict'

const {
  accessSync,
  constants,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

const dist = join(__dirname, '..', 'dist')
const bundle = join(dist, 'holdfast.cjs')
const { size, mtimeMs } = statSync(bundle)
// Each uses other parts of the bundle; whoever is not in a hurry uses what is there.
const isHurried = process.argv[2] === 'fire' || process.argv[2] === 'bridge'
const user = process.argv[2] === 'bridge' ? 'bridge' : 'fire'
const stamp = `${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`
const cacheOf = isRich => join(dist, `holdfast-${user}${isRich ? '-rich' : ''}-${stamp}.cache`)

// A run that started a hook has compiled more than one that did not.
const rich = read(cacheOf(true))
const cachedData = rich ?? read(cacheOf(false))
// The bundle is plain ASCII, which is read fastest this way.
const code = `(function (module, require, __dirname, importDoor) {${readFileSync(bundle, 'latin1')}\n})`
__m('read')
const script = new Script(code, { filename: bundle, ...(cachedData ? { cachedData } : {}) })
__m('script')
if (isHurried && (!rich || script.cachedDataRejected)) keepLater()
script.runInThisContext()({ exports: {} }, require, dist, name => import(name))

function read(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** At the end, when all that this command needed has been compiled. */
function keepLater() {
  process.once('exit', () => {
    const isRich = process.moduleLoadList.includes('NativeModule child_process')
    if (!isRich && (rich || (cachedData && !script.cachedDataRejected))) return
    const cache = cacheOf(isRich)
    const half = `${cache}.${process.pid}`
    try {
      // Who may change the bundle may put its compiled form beside it; nobody else.
      accessSync(bundle, constants.W_OK)
      writeFileSync(half, script.createCachedData())
      renameSync(half, cache)
    } catch {
      rmSync(half, { force: true })
    }
  })
}
