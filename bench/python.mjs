// The start of a hook with the Python library, relative to the same hook written by hand with json and sys.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inform, interleave, missedBars, report } from './measure.mjs'

const library = fileURLToPath(new URL('../python/holdfast_hooks', import.meta.url))

const WITH_LIBRARY = `import os
import sys
sys.path.insert(0, os.path.dirname(__file__))
from holdfast_hooks import deny, hook

@hook.on("beforeShellExecution")
def guard(payload):
    if payload["command"].startswith("git push --force"):
        return deny("Force pushes are blocked here.", agent="Open a pull request instead.")

hook.run()
`

const BY_HAND = `import json
import sys

payload = json.load(sys.stdin)
answer = {}
if payload["command"].startswith("git push --force"):
    answer = {
        "permission": "deny",
        "user_message": "Force pushes are blocked here.",
        "agent_message": "Open a pull request instead.",
    }
print(json.dumps(answer))
`

const PAYLOAD = JSON.stringify({
  hook_event_name: 'beforeShellExecution',
  conversation_id: 'c',
  generation_id: 'g',
  model: 'm',
  transcript_path: null,
  session_id: 'c',
  workspace_roots: ['/project'],
  cursor_version: '3',
  user_email: null,
  command: 'git push --force origin main',
  cwd: '/project',
  sandbox: false,
})

export async function suite() {
  process.stdout.write('\npython\n')
  // The real interpreter: `python3` may be a version shim, which takes longer than Python itself.
  const found = spawnSync('python3', ['-I', '-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  if (found.status !== 0) {
    process.stdout.write('          python3 was not found: nothing is measured\n')
    return 0
  }
  const base = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    await starts(found.stdout.trim(), base)
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
  return missedBars()
}

async function starts(python, base) {
  const copy = name =>
    cpSync(library, join(base, name, 'holdfast_hooks'), { recursive: true, filter: isSource })
  for (const name of ['kept', 'fresh']) {
    copy(name)
    writeFileSync(join(base, name, 'guard.py'), WITH_LIBRARY)
  }
  writeFileSync(join(base, 'bare.py'), BY_HAND)
  const run = (...args) => runs(python, ['-I', '-S', ...args.slice(0, -1), join(base, args.at(-1))])
  const times = await interleave(
    {
      library: () => run('kept/guard.py'),
      byHand: () => run('bare.py'),
      // Without a place for compiled files, Python compiles at each start.
      uncached: () => run('-B', 'fresh/guard.py'),
    },
    60,
  )
  const over = name => `${times[name].toFixed(1)} ms ÷ ${times.byHand.toFixed(1)} ms`
  report(
    'Python hook with the library ÷ by hand, python3 -I -S',
    times.library / times.byHand,
    1.25,
    '×',
    over('library'),
  )
  inform('  where __pycache__ cannot be written', times.uncached / times.byHand, over('uncached'))
}

const isSource = path => !path.includes('__pycache__')

/** Both must respond the same, or the figure means nothing. */
function runs(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    child.once('error', reject)
    child.once('close', () => {
      if (JSON.parse(out || '{}').permission === 'deny') resolve()
      else reject(new Error(`${args.at(-1)} did not deny: ${out}`))
    })
    child.stdin.end(PAYLOAD)
  })
}
