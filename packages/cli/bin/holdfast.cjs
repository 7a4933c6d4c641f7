#!/usr/bin/env node
'use strict'

// `fire` stands in the way of an agent, so it starts from compiled code where that can be kept: Node 22 does it
// by itself, for Node 20 it is done here. Everything else starts the plain way.

const { join } = require('node:path')
const dist = join(__dirname, '..', 'dist')
const bundle = join(dist, 'holdfast.cjs')

if (process.argv[2] !== 'fire' || !startFromCache()) require(bundle)

/** False when nothing was started. */
function startFromCache() {
  const { enableCompileCache } = require('node:module')
  if (enableCompileCache) {
    enableCompileCache()
    return false
  }
  const fs = require('node:fs')
  const { Script } = require('node:vm')
  const { size, mtimeMs } = fs.statSync(bundle)
  const cache = join(dist, `fire-${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}.cache`)
  const cachedData = read(fs, cache)
  if (!cachedData && !mayWrite(fs)) return false

  // Code from a cache cannot import modules by itself: it is handed a function for that.
  const text = fs.readFileSync(bundle, 'utf8').replaceAll('import(', 'load(')
  const code = `(function (module, require, __dirname, load) {${text}\n})`
  const script = new Script(code, { filename: bundle, cachedData })
  // At the end, when all that this command needs has been compiled.
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => write(fs, cache, script))
  script.runInThisContext()({ exports: {} }, require, dist, name => import(name))
  return true
}

function read(fs, file) {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

/** Who may change the bundle may put its compiled form beside it; nobody else. */
function mayWrite(fs) {
  try {
    fs.accessSync(dist, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

function write(fs, file, script) {
  const temporary = `${file}.${process.pid}`
  try {
    fs.writeFileSync(temporary, script.createCachedData(), { flag: 'wx', mode: 0o644 })
    fs.renameSync(temporary, file)
  } catch {
    fs.rmSync(temporary, { force: true })
  }
}
