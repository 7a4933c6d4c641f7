// Whatever happens to the daemon, an action that hooks deny stays denied, and the agent gets a response in time.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { watched } from '../processes.js'
import { Around, CLIENT, DENIES, hasClient, isAlive, isBlocked, PROGRAM, until } from './around.js'

const WAITS = `#!/bin/sh
cat > /dev/null
echo started >> "$HOME/started"
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
echo '{"permission": "deny", "user_message": "Not now."}'
`

let around: Around
let servers: Server[] = []

const open = async (script: string, more: object = {}) => {
  around = new Around({ beforeShellExecution: [{ command: './hook.sh', ...more }] }, { 'hook.sh': script })
  await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }))
}

const call = (options = {}) => around.byEntry('PreToolUse', around.shell('ls'), options)

beforeEach(() => open(DENIES))

afterEach(async () => {
  for (const server of servers) server.close()
  servers = []
  await around.close()
})

describe.runIf(hasClient)('a daemon that is not there', () => {
  it('was never started', async () => {
    expect(isBlocked(await call())).toBe(true)
    await until(() => around.status() !== undefined)
    expect(isBlocked(await call())).toBe(true)
  })

  it('was killed, and left its socket', async () => {
    const daemon = await around.startDaemon()
    daemon.kill('SIGKILL')
    await until(() => !isAlive(daemon.pid!))
    expect(isBlocked(await call())).toBe(true)
  })

  it('and Node is not there, either: the entry blocks', async () => {
    const ended = await call({ program: '/nowhere/holdfast.cjs' })
    expect(ended.code).toBe(2)
    const client = await around.byEntry('PreToolUse', around.shell('ls'), { env: { PATH: '/nowhere' } })
    expect(isBlocked(client)).toBe(true)
  })

  it('has a folder that others may enter', async () => {
    await around.startDaemon()
    const { calls } = around.status()!
    chmodSync(around.run, 0o755)
    expect(isBlocked(await call())).toBe(true)
    chmodSync(around.run, 0o700)
    // Only this one.
    expect(around.status()!.calls).toBe(calls + 1)
  })

  it.runIf(process.getuid?.() === 0)('has a folder of another user', async () => {
    mkdirSync(around.run, { recursive: true, mode: 0o700 })
    chownSync(around.run, 65534, 65534)
    await listen(socket => socket.end(fakeAllow('')))
    expect(isBlocked(await call())).toBe(true)
    chownSync(around.run, 0, 0)
  })

  it('has a folder that is a link', async () => {
    mkdirSync(join(around.home, 'elsewhere'), { mode: 0o700 })
    rmSync(around.run, { recursive: true, force: true })
    symlinkSync(join(around.home, 'elsewhere'), around.run)
    await listen(socket => socket.end(fakeAllow('')))
    expect(isBlocked(await call())).toBe(true)
  })
})

describe.runIf(hasClient)('a daemon that ends or stops in the middle', () => {
  const begun = async () => {
    await around.close()
    await open(WAITS)
    const daemon = await around.startDaemon()
    const ended = call()
    await until(() => countStarts() > 0)
    return { daemon, ended }
  }
  const countStarts = () => read('started').split('\n').length - 1

  it('is killed', async () => {
    const { daemon, ended } = await begun()
    daemon.kill('SIGKILL')
    await until(() => countStarts() > 1)
    around.put('go', '')
    expect(isBlocked(await ended)).toBe(true)
  })

  it('is stopped by a signal', async () => {
    const { daemon, ended } = await begun()
    daemon.kill('SIGSTOP')
    await until(() => countStarts() > 1)
    around.put('go', '')
    expect(isBlocked(await ended)).toBe(true)
    // A new daemon takes the place of one that does not respond.
    await until(() => (around.status()?.pid ?? daemon.pid) !== daemon.pid)
    daemon.kill('SIGCONT')
    await until(() => !isAlive(daemon.pid!))
  })

  it('receives a signal to end: it answers first', async () => {
    const { daemon, ended } = await begun()
    expect(around.cli(['daemon', 'stop']).status).toBe(0)
    around.put('go', '')
    expect((await ended).stdout).toContain('"deny"')
    await until(() => !isAlive(daemon.pid!))
    expect(countStarts()).toBe(1)
  })

  it('loses its caller: the hooks end', async () => {
    await around.close()
    await open(
      `#!/bin/sh\ncat > /dev/null\necho $$ > "$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/pid"\nsleep 600\n`,
    )
    await around.startDaemon()
    const controller = new AbortController()
    const ended = around.byClient('PreToolUse', around.shell('ls'), { signal: controller.signal })
    await until(() => read('pid') !== '')
    const pid = Number(read('pid'))
    controller.abort()
    expect((await ended).code).toBe(143)
    await until(() => !isAlive(pid))
  })
})

describe.runIf(hasClient)('a socket with something else behind it', () => {
  const FAKES: Readonly<Record<string, (socket: Socket) => void>> = {
    'closes at once': socket => socket.end(),
    'sends an HTTP response': socket => socket.end('HTTP/1.1 200 OK\r\n\r\n{}'),
    'sends an empty reply': socket => socket.end('w'),
    'sends an allow without the token': socket => socket.end(fakeAllow('0'.repeat(32))),
    'sends a reply without an end': socket => withToken(socket, token => fakeAllow(token).subarray(0, -1)),
    'sends more than a reply': socket =>
      withToken(socket, token => Buffer.concat([fakeAllow(token), Buffer.from('e')])),
    'sends huge lengths': socket =>
      withToken(socket, token => Buffer.concat([fakeAllow(token).subarray(0, 5), Buffer.alloc(40, 255)])),
    'sends zeros': socket => socket.end(Buffer.alloc(100_000)),
    'sends random bytes': socket =>
      socket.end(Buffer.from(Array.from({ length: 5000 }, () => Math.floor(Math.random() * 256)))),
    'declines and goes on': socket => socket.end('dd'),
    declines: socket => socket.end('d'),
    'never answers': () => {},
  }

  it.each(Object.entries(FAKES))('%s', async (_, answer) => {
    mkdirSync(around.run, { recursive: true, mode: 0o700 })
    await listen(answer)
    expect(isBlocked(await call())).toBe(true)
  })

  it('is a file', async () => {
    mkdirSync(around.run, { recursive: true, mode: 0o700 })
    writeFileSync(around.socket, 'x')
    expect(isBlocked(await call())).toBe(true)
  })
})

describe('a daemon that does not turn', () => {
  it('is ended by its watchdog', async () => {
    const thread = join(dirname(dirname(PROGRAM)), 'dist', 'watchdog-thread.cjs')
    const script = `new (require('node:worker_threads').Worker)(${JSON.stringify(thread)}, {
      workerData: new Int32Array(new SharedArrayBuffer(4)),
    }).once('online', () => { for (;;); })`
    const stuck = watched(spawn(process.execPath, ['-e', script], { stdio: 'ignore' }))
    expect(await new Promise(resolve => stuck.once('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL')
  })
})

describe.runIf(hasClient)('two daemons', () => {
  it('start at once: one stays', async () => {
    const both = [0, 1].map(() =>
      watched(
        spawn(process.execPath, [PROGRAM, 'daemon', 'run'], { env: around.env, stdio: 'ignore', cwd: '/' }),
      ),
    )
    await until(() => both.filter(one => one.exitCode === null).length === 1)
    expect(isBlocked(await call())).toBe(true)
    const pid = around.status()!.pid
    expect(both.map(one => one.pid)).toContain(pid)
  })

  it('of two versions: the old one leaves its calls to Node and ends', async () => {
    const copy = join(around.home, 'copy')
    const packages = dirname(dirname(PROGRAM))
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(packages, name), join(copy, name), {
        recursive: true,
        filter: path => !/\.cache|examples|python/.test(path),
      })
    const program = join(copy, 'bin', 'holdfast.cjs')
    const daemon = await around.startDaemon(program)
    expect(isBlocked(await call({ program }))).toBe(true)
    utimesSync(join(copy, 'dist', 'daemon.cjs'), 1, 1)
    expect(isBlocked(await call({ program }))).toBe(true)
    await until(() => !isAlive(daemon.pid!))
    // Of the new version.
    expect(isBlocked(await call({ program }))).toBe(true)
    await until(() => around.status(program) !== undefined)
  })
})

describe.runIf(hasClient)('a machine in trouble', () => {
  it('has no room for the log of the daemon', async () => {
    const daemon = await around.startDaemon(PROGRAM, openSync('/dev/full', 'w'))
    for (let i = 0; i < 3; i++) expect(isBlocked(await call())).toBe(true)
    expect(isAlive(daemon.pid!)).toBe(true)
  })

  it('has a clock that was set back', async () => {
    mkdirSync(around.run, { recursive: true, mode: 0o700 })
    const mark = join(around.run, 'started')
    writeFileSync(mark, '')
    const later = new Date(Date.now() + 86_400_000)
    utimesSync(mark, later, later)
    expect(isBlocked(await call())).toBe(true)
    await until(() => around.status() !== undefined)
  })

  it('has another umask for the caller: Node answers, and files get the mode of the caller', async () => {
    await around.startDaemon()
    const words = [process.execPath, PROGRAM, 'bridge', 'claude-code', '--event', 'PreToolUse']
    const ended = await around.start(
      '/bin/sh',
      ['-c', 'umask 027; exec "$@"', 'sh', CLIENT, ...words],
      around.shell('ls'),
    )
    expect(isBlocked(ended)).toBe(true)
    expect(Object.keys(around.status()!.declined)).toEqual(['other namespaces, root folder, umask or group'])
  })
})

describe('a caller that cannot write to the home folder', () => {
  it('gets nothing from the daemon, so a sandbox cannot start programs outside of it', async () => {
    await around.startDaemon()
    const { connect } = await import('node:net')
    const { writeRequest } = await import('../../packages/cli/src/daemon/protocol.js')
    const { ownPlace } = await import('../../packages/cli/src/daemon/place.js')
    const socket = connect(around.socket)
    let answer = ''
    socket.on('data', chunk => (answer += chunk))
    socket.write(
      writeRequest({
        token: 'a'.repeat(32),
        place: ownPlace(),
        home: around.home,
        cwd: '/',
        words: [PROGRAM, 'bridge', 'claude-code'],
        env: around.env,
        body: Buffer.from(around.shell('ls')),
      }),
    )
    await new Promise(resolve => socket.once('close', resolve))
    expect(answer).toBe('d')
  })
})

const read = (name: string) =>
  existsSync(join(around.home, name)) ? readFileSync(join(around.home, name), 'utf8') : ''

/** The reply that would allow: no output, and exit code 0. */
function fakeAllow(token: string): Buffer {
  const head = Buffer.alloc(13)
  head[0] = 'r'.charCodeAt(0)
  return Buffer.concat([head, Buffer.from(token), Buffer.from('e')])
}

function withToken(socket: Socket, reply: (token: string) => Buffer): void {
  socket.once('data', chunk => socket.end(reply(chunk.toString('latin1', 19, 51))))
}

async function listen(answer: (socket: Socket) => void): Promise<void> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', () => {})
    answer(socket)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(around.socket, resolve))
}
