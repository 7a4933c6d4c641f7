// The figures of the engine. Each ratio comes from one interleaved run.

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inform, interleave, median, missedBars, report } from './measure.mjs'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))
const engine = join(packages, 'hooks/dist/index.js')
const command = join(packages, 'cli/bin/holdfast.cjs')

// Certificates that are read from a file slow down each Node start. They are not what is measured.
delete process.env.NODE_EXTRA_CA_CERTS

export async function suite() {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.stdout.write('\nengine\n')
  try {
    const { openHooks } = await import(engine)
    await oneHook(openHooks, space(base, 'one'))
    await fiveHooks(openHooks, space(base, 'five'))
    await rewrite(openHooks, space(base, 'rewrite'))
    await stubborn(openHooks, space(base, 'stubborn'))
    await noHooks(openHooks, space(base, 'none'))
    await hostilePatterns(openHooks, space(base, 'patterns'))
    await discovery(openHooks, space(base, 'discovery'))
    await largePayload(openHooks, space(base, 'large'))
    await largeRecord(openHooks, space(base, 'record'))
    await startUp(space(base, 'start'))
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
  return missedBars()
}

/** A project, a home and an enterprise folder. Hooks of this machine are not loaded. */
function space(base, name) {
  const root = join(base, name, 'project')
  const options = { home: join(base, name, 'home'), enterpriseDir: join(base, name, 'enterprise') }
  return {
    root,
    options: { workspaceRoots: [root], ...options, trustAll: true, watch: false },
    script(file, body) {
      const path = join(root, '.cursor/hooks', file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `#!/bin/sh\n${body}\n`)
      chmodSync(path, 0o755)
      return path
    },
    hooks(config) {
      mkdirSync(join(root, '.cursor'), { recursive: true })
      writeFileSync(join(root, '.cursor/hooks.json'), JSON.stringify({ version: 1, hooks: config }))
    },
  }
}

// Cursor started its pipelines this way, with bash.
const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'

const answer = `echo '{"permission":"allow"}'`

/** The ten lines of an author who handles a child process with care: start, write, collect, wait. */
const bareSpawn = (file, args, cwd, payload) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    const out = []
    child.stdout.on('data', chunk => out.push(chunk))
    child.stderr.resume()
    child.stdin.on('error', () => {})
    child.once('error', reject)
    child.once('close', () => resolve(JSON.parse(Buffer.concat(out).toString('utf8'))))
    child.stdin.end(JSON.stringify(payload))
  })

const payloadOf = fields => ({
  hook_event_name: 'beforeShellExecution',
  conversation_id: 'c',
  generation_id: 'g',
  model: 'm',
  transcript_path: null,
  session_id: 'c',
  workspace_roots: ['/project'],
  cursor_version: '3',
  user_email: null,
  ...fields,
})

/**
 * The choice of script and shell decides whether the bar is met, so the alternatives are measured too: a script that
 * reads its payload takes longer everywhere, and a pipeline in plain sh is faster than in bash.
 */
async function oneHook(openHooks, { root, options, script, hooks }) {
  const path = script('guard.sh', answer)
  const reading = script('reading.sh', `read -r payload\n${answer}`)
  hooks({
    beforeShellExecution: [{ command: '.cursor/hooks/guard.sh' }],
    afterShellExecution: [{ command: '.cursor/hooks/reading.sh' }],
  })
  const open = await openHooks(options)
  const fields = { command: `echo ${'x'.repeat(800)}`, cwd: root, sandbox: false }
  const payload = payloadOf(fields)
  const text = Buffer.from(`${JSON.stringify(payload)}\n`).toString('base64')
  const pipeline = (program, file) => () =>
    bareSpawn(program, ['-c', `printf %s '${text}' | base64 -d | ${file}`], root, '')
  const times = await interleave(
    {
      fire: () => open.fire('beforeShellExecution', fields),
      bare: () => bareSpawn(path, [], root, payload),
      base64: pipeline(shell, path),
      base64sh: pipeline('/bin/sh', path),
      fireReading: () => open.fire('afterShellExecution', fields),
      bareReading: () => bareSpawn(reading, [], root, payload),
      base64Reading: pipeline(shell, reading),
    },
    300,
    100,
  )
  open.close()
  const over = (a, b) => `${times[a].toFixed(2)} ms ÷ ${times[b].toFixed(2)} ms`
  const ratio = (a, b) => times[a] / times[b]
  report('fire with one script hook ÷ bare spawn', ratio('fire', 'bare'), 1.05, '×', over('fire', 'bare'))
  inform(
    '  a script that reads its payload',
    ratio('fireReading', 'bareReading'),
    over('fireReading', 'bareReading'),
  )
  report('the same ÷ base64 pipeline through bash', ratio('fire', 'base64'), 0.5, '×', over('fire', 'base64'))
  inform('  through sh', ratio('fire', 'base64sh'), over('fire', 'base64sh'))
  inform(
    '  through bash, a script that reads',
    ratio('fireReading', 'base64Reading'),
    over('fireReading', 'base64Reading'),
  )
}

async function fiveHooks(openHooks, { options, script, hooks }) {
  script('slow.sh', `sleep 0.05\n${answer}`)
  const entry = { command: '.cursor/hooks/slow.sh' }
  hooks({ beforeShellExecution: [entry, entry, entry, entry, entry], beforeMCPExecution: [entry] })
  const open = await openHooks(options)
  const times = await interleave(
    {
      five: () => open.fire('beforeShellExecution', { command: 'ls' }),
      one: () => open.fire('beforeMCPExecution', { tool_name: 'query' }),
    },
    40,
  )
  open.close()
  report('five hooks of 50 ms on one event ÷ one of them', times.five / times.one, 1.3, '×')
}

/** Only the hook that did not rewrite runs again, so two rounds cost as much as two events. */
async function rewrite(openHooks, { root, options, script, hooks }) {
  script('judge.sh', answer)
  script('plain.sh', answer)
  script('rewrite.sh', `echo '{"permission":"allow","updated_input":{"command":"ls -a"}}'`)
  const entry = (name, matcher) => ({ command: `.cursor/hooks/${name}.sh`, matcher })
  hooks({
    preToolUse: [entry('judge', 'Shell|Write|Delete'), entry('rewrite', 'Shell'), entry('plain', 'Write')],
  })
  const open = await openHooks(options)
  const fire = (tool, runs, rewrites) => async () => {
    const input = { tool_name: tool, tool_input: { command: 'ls' }, tool_use_id: '1', cwd: root }
    const verdict = await open.fire('preToolUse', input)
    if (verdict.runs.length !== runs || verdict.rewrites.length !== rewrites)
      throw new Error(`${verdict.runs.length} runs and ${verdict.rewrites.length} rewrites of ${tool}`)
  }
  const [first, second] = [fire('Write', 2, 0), fire('Delete', 1, 0)]
  const apart = async () => {
    await first()
    await second()
  }
  const times = await interleave({ rewrite: fire('Shell', 3, 1), apart }, 200, 50)
  await open.close()
  const detail = `${times.rewrite.toFixed(2)} ms ÷ ${times.apart.toFixed(2)} ms`
  report('rewrite of an input ÷ its two rounds as two events', times.rewrite / times.apart, 1.05, '×', detail)
}

async function stubborn(openHooks, { options, script, hooks }) {
  const stay = `trap '' TERM; while :; do sleep 0.1; done`
  script('stubborn.sh', `sh -c "${stay}" &\n${stay}`)
  hooks({ beforeShellExecution: [{ command: '.cursor/hooks/stubborn.sh', timeout: 0.3 }] })
  const open = await openHooks(options)
  const { fire } = await interleave(
    { fire: () => open.fire('beforeShellExecution', { command: 'ls' }) },
    10,
    1,
  )
  open.close()
  report('time limit of 300 ms, stubborn tree: time to the verdict', fire, 400, 'ms')
}

async function noHooks(openHooks, { options, hooks }) {
  const words = [
    'git push',
    'terraform',
    'kubectl delete',
    'drop table',
    'rm -rf',
    'curl|wget',
    'npm publish',
    'sudo',
  ]
  const thousand = Array.from({ length: 1000 }, (_, i) => ({
    command: 'guard',
    matcher: i % 2 ? `^(?:${words[i % 8]})\\b.*--x${i}(?:=\\w+)?$` : `${words[i % 8]} ${i}`,
  }))
  hooks({ beforeShellExecution: thousand })
  const open = await openHooks(options)
  const timePer = async (times, work) => {
    const began = performance.now()
    for (let i = 0; i < times; i++) await work()
    return ((performance.now() - began) / times) * 1000
  }
  const none = () => open.fire('beforeMCPExecution', { tool_name: 'query', tool_input: '{}' })
  const unmatched = () =>
    open.fire('beforeShellExecution', { command: 'npm run build -- --watch src', cwd: '/project' })
  const samples = { none: [], unmatched: [] }
  for (let round = -5; round < 40; round++) {
    const a = await timePer(200, none)
    const b = await timePer(20, unmatched)
    if (round < 0) continue
    samples.none.push(a)
    samples.unmatched.push(b)
  }
  open.close()
  report('event without hooks', median(samples.none), 10, 'µs')
  report('event with 1,000 hooks of which none matches', median(samples.unmatched), 600, 'µs')
}

/** Patterns that would run for hours. The plan must be ready within a tenth of a second. */
async function hostilePatterns(openHooks, { options, hooks }) {
  const evil = ['(a+)+$', '(a|a)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$']
  hooks({
    beforeShellExecution: Array.from({ length: 300 }, (_, i) => ({ command: 'guard', matcher: evil[i % 4] })),
  })
  const open = await openHooks(options)
  const fields = { command: `${'a'.repeat(50_000)}!` }
  const { explain } = await interleave({ explain: () => open.explain('beforeShellExecution', fields) }, 20, 2)
  open.close()
  report('plan of an event with 300 hostile patterns', explain, 100, 'ms')
}

async function discovery(openHooks, { options, script, hooks }) {
  for (let i = 0; i < 20; i++) script(`x${i}.sh`, answer)
  const entry = i => ({ command: `.cursor/hooks/x${i % 20}.sh --n ${i}`, matcher: 'Shell|Write' })
  hooks({ stop: Array.from({ length: 1000 }, (_, i) => entry(i)) })
  const open = await openHooks(options)
  const { reload } = await interleave({ reload: () => open.reload() }, 20, 2)
  open.close()
  report('discovery of 1,000 entries', reload, 500, 'ms')
}

/** The stored part of a payload is bounded, which also bounds the duration of a run with a large one. */
async function largeRecord(openHooks, { options }) {
  const open = await openHooks(options)
  open.register({ event: 'afterShellExecution', run: () => {} })
  const fire = output => async () => {
    await open.fire('afterShellExecution', { command: 'x', output })
    open.log()
  }
  const large = 'a line of output\n'.repeat(250_000)
  const times = await interleave({ small: fire('x'), large: fire(large) }, 40, 5)
  open.close()
  report('run with a payload of 4 MB over a small one', times.large - times.small, 50, 'ms')
}

async function largePayload(openHooks, { root, options, script, hooks }) {
  const path = script('count.sh', `cat > /dev/null\n${answer}`)
  hooks({ beforeReadFile: [{ command: '.cursor/hooks/count.sh' }] })
  const open = await openHooks(options)
  const fields = {
    file_path: '/project/big.txt',
    content: 'some text with a line end\n'.repeat(400_000),
    attachments: [],
  }
  const payload = payloadOf(fields)
  const times = await interleave(
    { fire: () => open.fire('beforeReadFile', fields), bare: () => bareSpawn(path, [], root, payload) },
    40,
  )
  open.close()
  report('10 MB payload ÷ bare spawn that pipes it', times.fire / times.bare, 1.2, '×')
}

async function startUp({ root, options, script, hooks }) {
  script('guard.sh', answer)
  hooks({ beforeShellExecution: [{ command: '.cursor/hooks/guard.sh' }] })
  const file = (name, text) => {
    writeFileSync(join(root, name), text)
    return join(root, name)
  }
  const rss = 'process.stdout.write(String(process.memoryUsage().rss))'
  const empty = file('empty.mjs', rss)
  const imports = file('imports.mjs', `await import(${JSON.stringify(engine)}); ${rss}`)
  const nothing = file('nothing.cjs', '')
  const spawns = file(
    'spawns.cjs',
    `const child = require('node:child_process').spawn('.cursor/hooks/guard.sh')
     child.stdout.pipe(process.stdout)
     child.stdin.on('error', () => {})
     child.stdin.end('{}')`,
  )
  const memory = { empty: [], imports: [] }
  const node = (args, take) => {
    const { promise, resolve, reject } = withResolvers()
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', chunk => (out += chunk))
    child.once('error', reject)
    child.once('close', () => resolve(take?.(out)))
    return promise
  }
  const { home, enterpriseDir } = options
  const places = ['--trust-all', '--root', root, '--home', home, '--enterprise', enterpriseDir]
  const times = await interleave(
    {
      empty: () => node([empty], out => memory.empty.push(Number(out))),
      imports: () => node([imports], out => memory.imports.push(Number(out))),
      nothing: () => node([nothing]),
      fire: () => node([command, 'fire', 'beforeShellExecution', '--command', 'ls', ...places]),
      idle: () => node([command, 'fire', 'stop', ...places]),
      bare: () => node([spawns]),
    },
    40,
  )
  const mb = (median(memory.imports) - median(memory.empty)) / 1024 / 1024
  report('import of the engine over an empty Node start', times.imports - times.empty, 20, 'ms')
  report('resident memory that it adds', mb, 12, 'MB')
  const over = name => `${times[name].toFixed(0)} ms ÷ ${times.nothing.toFixed(0)} ms`
  report('holdfast fire ÷ empty Node start', times.idle / times.nothing, 1.6, '×', over('idle'))
  inform('  the same with one script hook to run', times.fire / times.nothing, over('fire'))
  inform('  a bare Node program that spawns that script', times.bare / times.nothing, over('bare'))
}

function withResolvers() {
  let resolve, reject
  const promise = new Promise((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
