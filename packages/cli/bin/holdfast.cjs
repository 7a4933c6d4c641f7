#!/usr/bin/env node
// Starts the command. `fire` stands in the way of an agent, so what V8 compiled the first time is kept beside the
// bundle and used again. Without that file, or with another Node, everything works the same.

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
const cache = join(dist, `holdfast-${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}.cache`)

const cachedData = read(cache)
// The bundle is plain ASCII, which is read fastest this way.
const code = `(function (module, require, __dirname, importDoor) {${readFileSync(bundle, 'latin1')}\n})`
const script = new Script(code, { filename: bundle, ...(cachedData ? { cachedData } : {}) })
if (!cachedData || script.cachedDataRejected) keepLater()
script.runInThisContext()({ exports: {} }, require, dist, name => import(name))

function read(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** At the end, when all that this command needed has been compiled. Of the commands only `fire` is in a hurry. */
function keepLater() {
  if (process.argv[2] !== 'fire') return
  process.once('exit', () => {
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
