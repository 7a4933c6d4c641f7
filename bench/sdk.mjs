// What the SDK adds to the start of a hook: the same guard, bundled by `holdfast build` and written by hand.

import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inform, interleave, missedBars, report } from './measure.mjs'

const command = fileURLToPath(new URL('../packages/cli/bin/holdfast.cjs', import.meta.url))

delete process.env.NODE_EXTRA_CA_CERTS

const GUARD = `import { hook, deny } from '@holdfast/hooks/sdk'

hook({
  beforeShellExecution: ({ command }) => {
    if (/git push .*--force/.test(command)) return deny('Force pushes are blocked here.')
  },
})
`

/** The smallest possible hook: it validates nothing and knows the field names of one version. */
const LEAN = `const { readFileSync } = require('node:fs')
const { command } = JSON.parse(readFileSync(0, 'utf8'))
const answer = /git push .*--force/.test(command) ? { permission: 'deny', user_message: 'Force pushes are blocked here.' } : {}
console.log(JSON.stringify(answer))
`

/** A typical hook. */
const USUAL = `let text = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', chunk => { text += chunk })
process.stdin.on('end', () => {
  const { command } = JSON.parse(text)
  const answer = /git push .*--force/.test(command) ? { permission: 'deny', user_message: 'Force pushes are blocked here.' } : {}
  process.stdout.write(JSON.stringify(answer))
})
`

export async function suite() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.stdout.write('\nsdk\n')
  try {
    const at = name => join(folder, name)
    writeFileSync(at('guard.ts'), GUARD)
    writeFileSync(at('lean.cjs'), LEAN)
    writeFileSync(at('usual.cjs'), USUAL)
    const payload = {
      hook_event_name: 'beforeShellExecution',
      cursor_version: '3.1.0',
      command: 'git push --force',
    }
    writeFileSync(at('payload.json'), JSON.stringify({ ...payload, conversation_id: 'c', cwd: '/project' }))
    execFileSync(process.execPath, [command, 'build', at('guard.ts')])
    const run = name => () => answered(at(name), at('payload.json'))
    const times = await interleave(
      { sdk: run('guard.cjs'), lean: run('lean.cjs'), usual: run('usual.cjs') },
      60,
    )
    const detail = `${times.sdk.toFixed(1)} ms ÷ ${times.lean.toFixed(1)} ms`
    report(
      'hook with the SDK ÷ the same by hand, as lean as can be',
      times.sdk / times.lean,
      1.1,
      '×',
      detail,
    )
    inform('  by hand, as most are written', times.sdk / times.usual)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return missedBars()
}

/** Starts the hook and waits for its end. A response other than deny would make the figure worthless. */
function answered(file, payload) {
  return new Promise((resolve, reject) => {
    const input = openSync(payload, 'r')
    const child = spawn(process.execPath, [file], { stdio: [input, 'pipe', 'inherit'] })
    closeSync(input)
    let text = ''
    child.stdout.on('data', chunk => (text += chunk))
    child.once('close', () =>
      JSON.parse(text).permission === 'deny' ? resolve() : reject(new Error(`${file} said ${text}`)),
    )
  })
}
