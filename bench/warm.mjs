// Measures the warm path: one call of the bridge through the native client and the daemon, as an agent starts it, beside
// the smallest process, beside the hook alone and beside Node.

import { fork, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interleave, median, missedBars, report } from './measure.mjs'

const at = path => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = at('../packages/cli/bin/holdfast.cjs')
const CLIENT = at(`../packages/cli/client/dist/${process.platform}-${process.arch}/holdfast-client`)

delete process.env.NODE_EXTRA_CA_CERTS

const ROUNDS = 120
const BUSY_PROCESSES = 8
const BUSY_CALLS = 150
const EVENTS = 10_000
const HOST_ROUNDS = 60
const LARGE_MEGABYTES = 1024
const CLIENTS = 50
const DENY = '#!/bin/sh\ncat > /dev/null\necho \'{"permission": "deny", "user_message": "Not now."}\'\n'

export async function suite() {
  process.stdout.write('\nwarm\n')
  if (!existsSync(CLIENT)) {
    process.stdout.write('  There is no native client: no C compiler was found by npm run build.\n')
    return 1
  }
  const guard = openPlace([{ command: 'holdfast guard shell', failClosed: true }])
  const script = openPlace([{ command: './deny.sh' }])
  const busy = []
  try {
    for (const place of [guard, script]) place.start()
    const times = await interleave(
      {
        bare: () => run('/bin/true', [], guard),
        hook: () => run(script.hook, [], script, denies),
        guard: () => run(CLIENT, guard.call, guard),
        script: () => run(CLIENT, script.call, script, deniesTool),
        node: () => run(process.execPath, guard.call.slice(1), guard),
      },
      ROUNDS,
    )
    const over = (one, other) => `${times[one].toFixed(2)} ms ÷ ${times[other].toFixed(2)} ms`
    report('call with a guard ÷ /bin/true', times.guard / times.bare, 2.5, '×', over('guard', 'bare'))
    report(
      'call with a guard ÷ holdfast bridge in Node',
      times.guard / times.node,
      0.06,
      '×',
      over('guard', 'node'),
    )
    report(
      'call with a script hook ÷ that script',
      times.script / times.hook,
      1.9,
      '×',
      over('script', 'hook'),
    )

    await largeHost(script)

    const load = 'for(;;);'
    for (let i = 0; i < BUSY_PROCESSES; i++)
      busy.push(spawn(process.execPath, ['-e', load], { stdio: 'ignore' }))
    const calls = []
    for (let i = 0; i < BUSY_CALLS; i++) {
      const began = performance.now()
      await run(CLIENT, guard.call, guard)
      calls.push(performance.now() - began)
    }
    for (const child of busy.splice(0)) child.kill('SIGKILL')
    const late = calls.sort((a, b) => a - b)[Math.floor(calls.length * 0.99)]
    const detail = `${late.toFixed(1)} ms ÷ ${times.guard.toFixed(1)} ms; half of the calls took ${median(calls).toFixed(1)} ms`
    report('p99 beside eight busy processes ÷ quiet call', late / times.guard, 10, '×', detail)

    let wrong = 0
    let left = EVENTS
    const client = async () => {
      while (left-- > 0) await run(CLIENT, script.call, script, deniesTool).catch(() => wrong++)
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    report(`of ${EVENTS} denied events from ${CLIENTS} clients, lost or allowed`, wrong, 0, 'events')
    const { memoryBytes, declined } = guard.status()
    report('memory of the daemon with the guard', memoryBytes / 1e6, 100, 'MB')
    const toNode = Object.values(declined).reduce((sum, count) => sum + count, 0)
    if (toNode > 0)
      process.stdout.write(`          ${toNode} calls were left to Node: ${JSON.stringify(declined)}\n`)
  } finally {
    for (const child of busy) child.kill('SIGKILL')
    for (const place of [guard, script]) place.close()
  }
  return missedBars()
}

/** A host forks to start a hook, which takes longer the more memory it uses. */
async function largeHost({ env }) {
  const file = at('./large-host.mjs')
  const hosts = [0, LARGE_MEGABYTES].map(megabytes => fork(file, [String(megabytes), env.HOME], { env }))
  const next = child => new Promise(resolve => child.once('message', resolve))
  try {
    await Promise.all(hosts.map(next))
    const runs = hosts.map(() => [])
    for (let round = -5; round < HOST_ROUNDS; round++)
      for (const [index, host] of hosts.entries()) {
        host.send('fire')
        const run = await next(host)
        if (run.permission !== 'deny') throw new Error(`The hook of the host responded ${run.permission}.`)
        if (round >= 0) runs[index].push(run)
      }
    const [empty, large] = runs.map(all => median(all.map(({ ms }) => ms)))
    const detail = `${large.toFixed(2)} ms ÷ ${empty.toFixed(2)} ms`
    report('fire in a host with 1 GB in use ÷ in an empty host', large / empty, 1.3, '×', detail)
    const stall = median(runs[1].map(({ longest }) => longest))
    report('  its longest turn of the event loop, half of the events', stall, 2, 'ms')
  } finally {
    for (const host of hosts) host.kill()
  }
}

const denies = out => out.includes('"deny"')
const deniesTool = out => out.includes('"permissionDecision":"deny"')

/** A home folder with these hooks, a session, and a daemon. */
function openPlace(entries) {
  const home = mkdtempSync(join(tmpdir(), 'hb-'))
  const root = join(home, 'project')
  const put = (name, text, mode = 0o644) => {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text, { mode })
  }
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(join(home, 'bin'))
  symlinkSync(PROGRAM, join(home, 'bin', 'holdfast'))
  put('.cursor/deny.sh', DENY, 0o755)
  put('.cursor/hooks.json', JSON.stringify({ version: 1, hooks: { beforeShellExecution: entries } }))
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` }
  const payload = (event, fields) =>
    JSON.stringify({ session_id: 's1', cwd: root, hook_event_name: event, ...fields })
  const input = payload('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls -la' } })
  const holdfast = (args, stdin = '') =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: root, env, input: stdin, encoding: 'utf8' })
  const status = () => JSON.parse(holdfast(['daemon', 'status', '--json']).stdout)
  return {
    root,
    env,
    input,
    hook: join(home, '.cursor', 'deny.sh'),
    call: [process.execPath, PROGRAM, 'bridge', 'claude-code', '--event', 'PreToolUse'],
    start() {
      const begin = payload('SessionStart', { source: 'startup' })
      holdfast(['bridge', 'claude-code', '--event', 'SessionStart'], begin)
      holdfast(['daemon', 'start'])
    },
    status,
    close() {
      const { pid } = status()
      if (pid) process.kill(pid, 'SIGKILL')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A wrong response would make the figure worthless. */
function run(file, args, { root, env, input }, isRight = out => out === '') {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let out = ''
    child.stdout.on('data', chunk => (out += chunk))
    child.once('error', reject)
    child.once('close', code =>
      code === 0 && isRight(out) ? resolve() : reject(new Error(`${file} exited with ${code}: ${out}`)),
    )
  })
}
