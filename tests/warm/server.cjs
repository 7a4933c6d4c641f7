// Runs `holdfast` commands one after another in one process, so that a command costs milliseconds and not a start of Node.
//
// A client is a shell process that waits on a named pipe. It sends its process id; everything else comes from /proc: the
// arguments, the environment, the folder and the open files. File descriptors 0, 1 and 2 of this process become those of
// the client while its command runs, so pipes and redirections work as they do for the real program. Every command gets
// a fresh instance of the bundles. It ends when the event loop is empty, as a process would.

'use strict'

const fs = require('node:fs')
const { join } = require('node:path')
const { Writable } = require('node:stream')
const { Script } = require('node:vm')

const [folder, program] = process.argv.slice(2)
const dist = join(program, '../../dist')
const { O_APPEND, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants

const compile = (name, parameters) => {
  const filename = join(dist, name)
  const source = `(function (${parameters}) {${fs.readFileSync(filename, 'latin1')}\n})`
  return new Script(source, { filename, importModuleDynamically: specifier => import(specifier) })
}
const [bridge, main] = ['bridge.cjs', 'holdfast.cjs'].map(name =>
  compile(name, 'module, require, __dirname, importDoor'),
)
const commands = compile('commands.cjs', 'module, exports, require, __dirname')

function start() {
  let loaded
  const load = name => {
    if (name !== join(dist, 'commands.cjs')) return require(name)
    if (!loaded) {
      loaded = { exports: {} }
      commands.runInThisContext()(loaded, loaded.exports, load, dist)
    }
    return loaded.exports
  }
  const script = process.argv[2] === 'bridge' ? bridge : main
  script.runInThisContext()({ exports: {} }, load, dist, name => import(name))
}

/**
 * A new descriptor takes the lowest free number, which is the one just closed. A pipe blocks an opener until its other end
 * is open, so both ends are held open meanwhile.
 */
function attach(at) {
  for (const [number, mode] of [O_RDONLY, O_WRONLY | O_APPEND, O_WRONLY | O_APPEND].entries()) {
    const path = at(number)
    const held = fs.statSync(path).isFIFO() ? fs.openSync(path, O_RDWR) : undefined
    try {
      fs.closeSync(number)
    } catch {
      // A stream of the last command closed it.
    }
    const placed = fs.openSync(path, mode)
    if (held !== undefined) fs.closeSync(held)
    if (placed !== number) throw new Error(`descriptor ${placed} instead of ${number}`)
  }
}

function streams() {
  const writer = number =>
    new Writable({
      write(chunk, _, done) {
        fs.writeSync(number, chunk)
        done()
      },
    })
  const reader = () => fs.createReadStream('', { fd: 0, autoClose: false })
  for (const [name, make] of [
    ['stdin', reader],
    ['stdout', () => writer(1)],
    ['stderr', () => writer(2)],
  ]) {
    let made
    Object.defineProperty(process, name, { configurable: true, get: () => (made ??= make()) })
  }
}

const words = file => fs.readFileSync(file, 'utf8').split('\0').slice(0, -1)

function begin(pid) {
  const proc = `/proc/${pid}`
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const entry of words(`${proc}/environ`)) {
    const at = entry.indexOf('=')
    process.env[entry.slice(0, at)] = entry.slice(at + 1)
  }
  // sh, the client, the program, its arguments.
  process.argv = [process.execPath, ...words(`${proc}/cmdline`).slice(2)]
  process.chdir(`${proc}/cwd`)
  // The client keeps copies of its descriptors: it redirects 0 and 1 while it talks to this process.
  attach(number => `${proc}/fd/${7 + number}`)
  streams()
  start()
}

const listenersNow = () =>
  new Map(process.eventNames().map(name => [name, new Set(process.rawListeners(name))]))
let before = new Map()

/** What the program does when it exits, and then nothing is left of it. */
function finish() {
  const added = [...listenersNow()].flatMap(([name, listeners]) =>
    [...listeners].filter(one => !before.get(name)?.has(one)).map(one => [name, one]),
  )
  const code = () => process.exitCode ?? 0
  for (const [name, listener] of added) if (name === 'exit') listener.call(process, code())
  for (const [name, listener] of added) process.removeListener(name, listener)
  const answer = code()
  process.exitCode = undefined
  process.chdir('/')
  attach(() => '/dev/null')
  fs.writeSync(answers, `${client} ${answer}\n`)
}

// Open for both: neither side waits for the other, and a pipe without a reader keeps what is in it.
const calls = fs.openSync(join(folder, 'calls'), O_RDWR)
const answers = fs.openSync(join(folder, 'answers'), O_RDWR)
const waiting = []
let client

function next() {
  const pid = waiting.shift()
  if (pid === undefined) {
    fs.read(calls, Buffer.alloc(4096), 0, 4096, null, (error, length, buffer) => {
      if (error) throw error
      waiting.push(...buffer.toString('utf8', 0, length).trim().split('\n'))
      next()
    })
    return
  }
  client = pid
  before = listenersNow()
  process.once('beforeExit', () => {
    finish()
    next()
  })
  try {
    begin(pid)
  } catch (error) {
    process.exitCode = 70
    fs.writeSync(2, `The warm process could not begin: ${error.stack}\n`)
  }
}

next()
