// What only Codex does, or does in its own way, in the real program.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codex, codexByScript } from './codex.js'
import { finished, installed } from './program.js'
import { Stage } from './stage.js'

const HOLDFAST = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
const everything = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
)
const MCP = {
  // Required: the first turn waits until the server is ready.
  'mcp_servers.everything': {
    command: process.execPath,
    args: [join(everything, 'dist/index.js'), 'stdio'],
    required: true,
  },
}
const echo = (message: string) => ({ server: 'everything', tool: 'echo', input: { message } })

/** With codex on the PATH, as users have it, and without access to the network. */
async function doctor(stage: Stage): Promise<string> {
  const bin = join(dirname(dirname(await installed(codex.program))), '.bin')
  const away = 'http://127.0.0.1:9'
  const env = stage.env({ PATH: `${bin}:${process.env.PATH}`, HTTPS_PROXY: away, HTTP_PROXY: away })
  const args = [HOLDFAST, 'doctor']
  const { output } = await finished(process.execPath, args, { cwd: stage.project, env, timeoutMs: 30_000 })
  return output
}

describe.each([codex, codexByScript].map(one => [one.title, one] as const))(
  '%s',
  (_, { run, trust, program }) => {
    beforeAll(() => installed(program).then(() => {}), 600_000)

    let stage: Stage
    beforeEach(() => {
      stage = new Stage()
    })
    afterEach(() => stage.close())

    const lines = (...all: string[]) => all.join('\n')

    it('starts without a warning about our entries', async () => {
      await stage.hooks('codex', {})
      const { output, told } = await run(stage, 'Hello.', [{ say: 'Hello.' }])
      expect(told).toHaveLength(1)
      expect(output).toContain('hook: SessionStart Completed')
      expect(output).not.toMatch(/warning:|Failed/)
    })

    it('says to holdfast doctor whether it trusts the hooks', async () => {
      await stage.hooks('codex', { beforeShellExecution: [stage.hook('shell', {})] })
      expect(await doctor(stage)).toMatch(/! Codex .* Codex skips 3 of 3 events: not trusted\n/)
      await trust(stage)
      expect(await doctor(stage)).toMatch(/✓ Codex .* 3 events, all trusted\n/)
      const file = join(stage.home, '.codex/hooks.json')
      stage.place.write(file, `${stage.place.read(file)} // mine`)
      expect(await doctor(stage)).toMatch(/! Codex .* Codex skips the whole file: .* at line/s)
    })

    it('skips hooks that nobody has trusted', async () => {
      await stage.hooks('codex', { beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
      const { output } = await run(stage, 'Make a file.', [{ shell: 'echo x > made.txt' }], {
        isUntrusted: true,
      })
      expect(stage.seen('shell'), output).toEqual([])
      expect(stage.has('made.txt')).toBe(true)
    })

    it('tells what a patch did, file by file', async () => {
      stage.place.write('a.txt', 'one\n\ntwo\nthree\n')
      await stage.hooks('codex', { afterFileEdit: [stage.hook('edit')], preToolUse: [stage.hook('pre')] })
      const patch = lines(
        '*** Begin Patch',
        '*** Update File: a.txt',
        '@@',
        ' one',
        '',
        '-two',
        '+2',
        '*** Add File: sub/b.txt',
        '+new',
        '*** End Patch',
        '',
      )
      const { output } = await run(stage, 'Edit.', [{ patch }])
      expect(stage.text('a.txt'), output).toBe('one\n\n2\nthree\n')
      expect(stage.seen('edit')).toMatchObject([
        {
          file_path: join(stage.project, 'a.txt'),
          edits: [{ old_string: 'one\n\ntwo', new_string: 'one\n\n2' }],
        },
        { file_path: join(stage.project, 'sub/b.txt'), edits: [{ old_string: '', new_string: 'new' }] },
      ])
      expect(stage.seen('pre')).toMatchObject([{ tool_name: 'Write', tool_input: { command: patch } }])
    })

    it('a deny of the tool stops a patch', async () => {
      const deny = { permission: 'deny', agent_message: 'The folder is frozen.' }
      await stage.hooks('codex', { preToolUse: [stage.hook('pre', deny, { matcher: '^Write$' })] })
      const { output, told } = await run(stage, 'Write.', [{ write: 'made.txt', content: 'no' }])
      expect(stage.seen('pre'), output).toHaveLength(1)
      expect(stage.has('made.txt'), output).toBe(false)
      expect(told.at(-1)).toContain('The folder is frozen.')
    })

    it('a deny stops an MCP call', async () => {
      const deny = { permission: 'deny', agent_message: 'Not that server.' }
      await stage.hooks('codex', {
        beforeMCPExecution: [stage.hook('mcp', deny)],
        afterMCPExecution: [stage.hook('after')],
      })
      const { output, told } = await run(stage, 'Echo.', [echo('knot')], { settings: MCP })
      expect(stage.seen('mcp'), output).toMatchObject([
        { tool_name: 'echo', tool_input: '{"message":"knot"}', mcp_server_name: 'everything' },
      ])
      expect(stage.seen('after')).toEqual([])
      expect(told.at(-1)).toContain('Not that server.')
      expect(told.at(-1)).not.toContain('Echo: knot')
    })

    it.each([
      ['another text', [{ type: 'text', text: 'masked' }], 'masked'],
      ['nothing', [], '(no output)'],
    ])('the result of an MCP call becomes %s', async (_name, content, heard) => {
      const answer = { updated_mcp_tool_output: { content }, additional_context: 'It was masked by a hook.' }
      await stage.hooks('codex', { postToolUse: [stage.hook('post', answer, { matcher: 'MCP:echo' })] })
      const { output, told } = await run(stage, 'Echo.', [echo('knot')], { settings: MCP })
      expect(stage.seen('post')[0]?.tool_output, output).toContain('Echo: knot')
      expect(told.at(-1)).toContain(heard)
      expect(told.at(-1)).toContain('It was masked by a hook.')
      expect(told.at(-1)).not.toContain('Echo: knot')
    })

    it('hooks of a project guard it once everything is trusted, wherever a command runs', async () => {
      stage.place.write('.git/HEAD', '')
      stage.place.project({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
      await stage.holdfast('trust', '--yes')
      const { exitCode, output: said } = await stage.holdfast('install', 'codex', '--project')
      expect(exitCode, said).toBe(0)
      const made = join(stage.project, 'made.txt')
      const turns = [{ shell: `echo no > ${made}`, in: '/' }]
      const folder = { projects: { [stage.project]: { trust_level: 'trusted' } } }
      const { output } = await run(stage, 'Make a file.', turns, { settings: folder })
      expect(stage.seen('shell'), output).toMatchObject([{ cwd: '/' }])
      expect(stage.has('made.txt'), output).toBe(false)
    })

    it('entries of the machine run without trust, and no repository turns them off', async () => {
      stage.place.user({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
      const at = ['--managed', '--managed-root', stage.machine]
      const { exitCode, output: said } = await stage.holdfast('install', 'codex', ...at)
      expect(exitCode, said).toBe(0)
      stage.place.write(join(stage.home, '.codex/config.toml'), '[features]\nhooks = false\n')
      const turns = [{ shell: 'echo no > made.txt' }]
      const { output } = await run(stage, 'Go.', turns, { isUntrusted: true, isManaged: true })
      expect(stage.seen('shell'), output).toHaveLength(1)
      expect(stage.has('made.txt'), output).toBe(false)
    })

    it('entries of others run beside ours, stay trusted, and are there afterwards', async () => {
      const { command } = stage.hook('foreign')
      const foreign = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":${JSON.stringify(command)}}]}]}}`
      const file = stage.place.write(join(stage.home, '.codex/hooks.json'), foreign)
      const [before] = await trust(stage)
      await stage.hooks('codex', { beforeShellExecution: [stage.hook('shell')] })
      const { output } = await run(stage, 'Go.', [{ shell: 'true' }])
      expect(stage.seen('foreign'), output).toMatchObject([{ tool_name: 'Bash' }])
      expect(stage.seen('shell'), output).toMatchObject([{ command: 'true' }])
      await stage.holdfast('uninstall', 'codex')
      expect(stage.place.read(file)).toBe(foreign)
      await run(stage, 'Go.', [{ shell: 'true' }], { isUntrusted: true })
      expect(stage.seen('foreign')).toHaveLength(2)
      expect(await trust(stage)).toEqual([{ ...before, trustStatus: 'trusted' }])
    })

    it('a stop hook that never has enough is ended by its limit', async () => {
      const followup = { followup_message: 'Go on.' }
      await stage.hooks('codex', { stop: [stage.hook('stop', followup)] })
      const { output, told } = await run(stage, 'Begin.', [])
      expect(
        stage.seen('stop').map(({ loop_count }) => loop_count),
        output,
      ).toEqual([0, 1, 2, 3, 4, 5])
      expect(told).toHaveLength(6)
    })

    it('a subagent is not started when a hook denies it', async () => {
      const deny = { permission: 'deny', agent_message: 'Do it alone.' }
      await stage.hooks('codex', { subagentStart: [stage.hook('start', deny)] })
      const { output, told, toldSubagent } = await run(stage, 'Delegate.', [{ spawn: 'count the birds' }])
      expect(stage.seen('start'), output).toMatchObject([{ task: 'count the birds' }])
      expect(toldSubagent).toEqual([])
      expect(told.at(-1)).toContain('Do it alone.')
    })

    it('hooks run inside a subagent, and send it on', async () => {
      const followup = { followup_message: 'Count once more.' }
      await stage.hooks('codex', {
        sessionStart: [stage.hook('session')],
        beforeShellExecution: [stage.hook('shell', { permission: 'deny' }, { matcher: 'made' })],
        subagentStop: [stage.hook('end', followup, { loop_limit: 1 })],
      })
      const { output, toldSubagent } = await run(stage, 'Delegate.', [{ spawn: 'count' }, { wait: true }], {
        subagent: [{ shell: 'echo no > made.txt' }, { say: 'Three birds.' }],
      })
      expect(stage.seen('session'), output).toHaveLength(1)
      const [{ conversation_id: main } = {}] = stage.seen('session')
      expect(stage.seen('shell'), output).toMatchObject([{ command: 'echo no > made.txt' }])
      expect(stage.seen('shell')[0]!.conversation_id).not.toBe(main)
      expect(stage.has('made.txt')).toBe(false)
      expect(stage.seen('end')).toMatchObject([{ summary: 'Three birds.', parent_conversation_id: main }, {}])
      expect(toldSubagent.at(-1)).toContain('Count once more.')
    })

    it('a session that must not start reaches no model', async () => {
      await stage.hooks('codex', { sessionStart: [stage.hook('start', { continue: false })] })
      const { output, told } = await run(stage, 'The code word is whimbrel.', [{ say: 'Hello.' }])
      expect(stage.seen('start'), output).toHaveLength(1)
      expect(told).toEqual([])
    })

    it('long context arrives whole', async () => {
      const words = Array.from({ length: 4000 }, (_one, n) => `word${n}`).join(' ')
      stage.place.write(join(stage.place.base, 'long.json'), JSON.stringify({ additional_context: words }))
      const command = `cat > /dev/null; cat ${stage.place.base}/long.json`
      await stage.hooks('codex', { sessionStart: [{ command }], postToolUse: [{ command }] })
      const { output, told } = await run(stage, 'Hello.', [{ shell: 'true' }])
      expect(told[0]!.split(words), output).toHaveLength(2)
      expect(told[1]!.split(words), output).toHaveLength(3)
    })

    it('an image is not shown when a hook guards reading', async () => {
      const pixel =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC'
      stage.place.write('plan.base64', pixel)
      await stage.hooks('codex', { beforeReadFile: [stage.hook('read', { permission: 'deny' })] })
      const turns = [{ shell: 'base64 -d plan.base64 > plan.png' }, { image: 'plan.png' }]
      const { output, told } = await run(stage, 'Look.', turns)
      expect(stage.seen('read'), output).toMatchObject([{ file_path: join(stage.project, 'plan.png') }])
      expect(told.join('\n')).not.toContain(pixel)
      await stage.holdfast('uninstall', 'codex')
      expect((await run(stage, 'Look.', turns)).told.join('\n')).toContain(pixel)
    })
  },
)
