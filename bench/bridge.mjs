// Measures what a bridge adds to each step of another agent: one call of `holdfast bridge` as the agent starts it,
// with and without a hook, relative to an empty Node start.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inform, interleave, missedBars, report } from './measure.mjs'

const holdfast = fileURLToPath(new URL('../packages/cli/bin/holdfast.cjs', import.meta.url))

delete process.env.NODE_EXTRA_CA_CERTS

const ROUNDS = 60
/** A call with one script hook, in empty Node starts. */
const BAR = 1.6
const GUARD = `#!/bin/sh
echo '{"permission": "deny", "user_message": "Not now."}'
`
/** The smallest program that runs a script and returns its response. */
const SPAWNS = `const child = require('node:child_process').spawn(process.argv[2])
child.stdout.pipe(process.stdout)
child.stdin.on('error', () => {})
process.stdin.pipe(child.stdin)
`

export async function suite() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.stdout.write('\nbridge\n')
  try {
    const put = (name, text, mode = 0o644) => {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { mode })
      return path
    }
    const guard = put('home/.cursor/guard.sh', GUARD, 0o755)
    const hooks = { beforeShellExecution: [{ command: './guard.sh' }] }
    put('home/.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
    const places = ['--home', join(folder, 'home'), '--enterprise', join(folder, 'none')]
    const bridge = [holdfast, 'bridge', 'claude-code', ...places, '--event', 'PreToolUse']
    const start = { hook_event_name: 'SessionStart', source: 'startup' }
    const read = payload(folder, 'Grep', { pattern: 'x' })
    const shell = payload(folder, 'Bash', { command: 'git push' })
    const empty = put('empty.cjs', '')
    const spawns = put('spawns.cjs', SPAWNS)
    const said = text => out => out.includes(text)
    const startOf = [holdfast, 'bridge', 'claude-code', ...places, '--event', 'SessionStart']
    await node(startOf, payload(folder, undefined, undefined, start), () => true, folder)
    const times = await interleave(
      {
        empty: () => node([empty], read, out => out === '', folder),
        idle: () => node(bridge, read, out => out === '', folder),
        one: () => node(bridge, shell, said('"permissionDecision":"deny"'), folder),
        bare: () => node([spawns, guard], shell, said('deny'), folder),
      },
      ROUNDS,
    )
    const over = name => `${times[name].toFixed(0)} ms ÷ ${times.empty.toFixed(0)} ms`
    inform('holdfast bridge, no hook for the call ÷ empty Node start', times.idle / times.empty, over('idle'))
    report('  with one script hook', times.one / times.empty, BAR, '×', over('one'))
    inform('  a bare Node program that spawns that script', times.bare / times.empty, over('bare'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return missedBars()
}

const payload = (cwd, tool_name, tool_input, more = {}) =>
  `${JSON.stringify({
    session_id: '5d0c7c1e-0000-4000-8000-000000000001',
    transcript_path: join(cwd, 't.jsonl'),
    cwd,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input,
    tool_use_id: 'toolu_1',
    ...more,
  })}\n`

/** A wrong response would make the figure worthless. */
function node(args, stdin, isRight, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
    // An empty program does not read its stdin.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    let out = ''
    child.stdout.on('data', chunk => (out += chunk))
    child.once('error', reject)
    child.once('close', () => (isRight(out) ? resolve() : reject(new Error(`${args[1]} said ${out}`))))
  })
}
