// The built packages on each supported Node, and on the other runtimes that npm has. Every program is fetched from npm.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { installed } from '../agents/program.js'
import { runsEverything } from '../scope.js'

const SYSTEM = process.platform === 'win32' ? 'win' : process.platform
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const HOLDFAST = at('packages/cli/bin/holdfast.cjs')

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A project whose hook denies `rm`, in the language of the runtime itself. */
function project() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-runtime-'))
  folders.push(folder)
  mkdirSync(join(folder, '.cursor'))
  mkdirSync(join(folder, 'home'))
  writeFileSync(
    join(folder, 'hook.mjs'),
    `import { hook } from ${JSON.stringify(at('packages/hooks/dist/sdk.js'))}
hook({ beforeShellExecution: ({ command }) => command.startsWith('rm') ? { permission: 'deny' } : {} })
`,
  )
  const hooks = (program: string) => ({
    version: 1,
    hooks: { beforeShellExecution: [{ command: `${JSON.stringify(program)} hook.mjs`, failClosed: true }] },
  })
  const use = (program: string) =>
    writeFileSync(join(folder, '.cursor/hooks.json'), JSON.stringify(hooks(program)))
  const run = (program: string, args: readonly string[], input = '') =>
    spawnSync(program, args, {
      cwd: folder,
      input,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: join(folder, 'home'),
        NO_COLOR: '1',
        DENO_NO_UPDATE_CHECK: '1',
      },
    })
  return { folder, use, run }
}

const ENGINE = `import { openHooks } from ${JSON.stringify(at('packages/hooks/dist/index.js'))}
const hooks = await openHooks({ workspaceRoots: [process.cwd()], trustAll: true, watch: false, log: { file: null } })
const session = hooks.resumeSession()
const verdicts = []
for (const command of ['ls', 'rm -r x']) {
  const { permission } = await session.fire('beforeShellExecution', { command, cwd: process.cwd(), sandbox: false })
  verdicts.push(permission)
}
console.log(JSON.stringify(verdicts))
hooks.close()
`
const VERDICTS = '[null,"deny"]\n'

describe.runIf(runsEverything)('Node', () => {
  it.each(NODES)('%s runs the engine, the SDK, the command, a bridge and the gateway', async version => {
    const node = join(await installed({ package: `node-${SYSTEM}-${process.arch}`, version }), 'bin/node')
    const { folder, use, run } = project()
    use(node)
    writeFileSync(join(folder, 'engine.mjs'), ENGINE)
    expect(run(node, ['engine.mjs'])).toMatchObject({ stdout: VERDICTS, stderr: '' })
    const required = `const { openHooks } = require(${JSON.stringify(at('packages/hooks/dist/index.cjs'))})
console.log(typeof openHooks)`
    expect(run(node, ['-e', required]).stdout).toBe('function\n')

    const fire = (command: string) =>
      run(node, [HOLDFAST, 'fire', 'beforeShellExecution', '--command', command, '--trust-all'])
    expect([fire('ls').status, fire('rm -r x').status]).toEqual([0, 2])

    run(node, [HOLDFAST, 'trust', '--yes'])
    const call = (command: string) =>
      JSON.stringify({
        ...{ session_id: 's', transcript_path: '', cwd: folder, hook_event_name: 'PreToolUse' },
        ...{ tool_name: 'Bash', tool_input: { command }, tool_use_id: 't' },
      })
    const bridge = ['bridge', 'claude-code', '--event', 'PreToolUse']
    expect(run(node, [HOLDFAST, ...bridge], call('rm -r x')).stdout).toContain('"permissionDecision":"deny"')

    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    const params = { _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': {} } }
    const discover = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params })
    const server = [node, at('tests/fixtures/mcp/modern.mjs')]
    const { stdout } = run(node, [HOLDFAST, 'mcp', '--no-log', '--', ...server], `${discover}\n`)
    expect(JSON.parse(stdout).result.supportedVersions).toContain('2026-07-28')
  })
})

describe.runIf(runsEverything && SYSTEM === 'linux')('another runtime', () => {
  it.each([
    ['Bun', '@oven/bun-linux-x64', '1.4.4', 'bin/bun', ['run']],
    ['Deno', '@deno/linux-x64-glibc', '2.9.6', 'deno', ['run', '-A']],
  ])('%s runs the engine, and hooks on the SDK', async (_, name, version, file, words) => {
    const program = join(await installed({ package: name, version }), file)
    expect(existsSync(program)).toBe(true)
    const { folder, use, run } = project()
    use(program)
    const script = words.includes('-A') ? `${program} run -A` : program
    const entry = { command: `${script} hook.mjs`, failClosed: true }
    writeFileSync(
      join(folder, '.cursor/hooks.json'),
      JSON.stringify({ version: 1, hooks: { beforeShellExecution: [entry] } }),
    )
    writeFileSync(join(folder, 'engine.mjs'), ENGINE)
    expect(run(program, [...words, 'engine.mjs'])).toMatchObject({ stdout: VERDICTS })
    const fire = [...words, HOLDFAST, 'fire', 'beforeShellExecution', '--command', 'rm -r x', '--trust-all']
    expect(run(program, fire).status).toBe(2)
  })
})
