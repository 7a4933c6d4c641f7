// The limit of a bridge call on the Node versions that agents bundle. Garbage is collected all the time, because a
// signal that is collected before it aborts lets the hook run on.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Workspace } from '../fixtures/workspace.js'
import { installed } from './program.js'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
const SYSTEM = process.platform === 'win32' ? 'win' : process.platform

it.each(['20.20.2', '22.23.3', '24.21.0'])('denies at its limit on Node %s', async version => {
  const folder = await installed({ package: `node-${SYSTEM}-${process.arch}`, version })
  const place = new Workspace()
  try {
    place.user({ beforeShellExecution: [{ command: 'sleep 60', timeout: 900 }] })
    const collect = place.write(
      join(place.base, 'collect.cjs'),
      'setInterval(() => global.gc(), 20).unref()\n',
    )
    const args = ['--expose-gc', `--require=${collect}`, BIN, 'bridge', 'claude-code', '--limit', '1.5']
    const child = spawn(join(folder, 'bin/node'), [...args, '--home', place.home], { cwd: place.root })
    const out: string[] = []
    child.stdout.on('data', chunk => out.push(String(chunk)))
    child.stdin.end(
      JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: 's',
        cwd: place.root,
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
      }),
    )
    expect(await new Promise(resolve => child.once('close', resolve))).toBe(0)
    expect(JSON.parse(out.join('')).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' })
  } finally {
    place.close()
  }
})
