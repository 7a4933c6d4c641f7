// An agent gets the same response whether its entry starts Node, the native client with a daemon, or the native client
// alone.

import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AGENTS } from '../fixtures/agents.js'
import { recordingsIn } from '../fixtures/replay/recording.js'
import { firstOf, runsEverything } from '../scope.js'
import { ALLOWS, Around, DENIES, type Ended, hasClient } from './around.js'

const recordings = recordingsIn(fileURLToPath(new URL('../fixtures/recordings', import.meta.url)))

const ENVIRONMENT = `#!/bin/sh
cat > /dev/null
printf '{"permission": "deny", "user_message": "%s %s %s"}' "$PWD" "$ONLY_HERE" "$CLAUDE_PROJECT_DIR"
`
const SLOW = '#!/bin/sh\ntrap "" TERM\nsleep 60\n'

const SETS: Readonly<Record<string, string>> = {
  deny: DENIES,
  environment: ENVIRONMENT,
  allow: ALLOWS,
  crash: '#!/bin/sh\nexit 3\n',
  block: '#!/bin/sh\necho "Not now." >&2\nexit 2\n',
  context: `#!/bin/sh\ncat > /dev/null\necho '{"additional_context": "Read the guide.", "followup_message": "Go on."}'\n`,
}

const GATES = ['preToolUse', 'beforeSubmitPrompt', 'sessionStart', 'postToolUse', 'stop']

function withHooks(script: string, more: object = {}): Around {
  const hooks = Object.fromEntries(GATES.map(event => [event, [{ command: './hook.sh', ...more }]]))
  return new Around(hooks, { 'hook.sh': script })
}

/** Without what differs between the folders of two routes. */
const shown = ({ code, stdout, stderr }: Ended, { home }: Around) => ({
  code,
  stdout: stdout.replaceAll(home, '~'),
  stderr: stderr.replaceAll(home, '~'),
})

describe.runIf(hasClient).each(AGENTS)('%s', agent => {
  const session = recordings.find(one => one.agent === agent && basename(one.file) === 'session.json')!
  const runs = session.runs.slice(0, runsEverything ? undefined : 2)

  it.each(firstOf(Object.keys(SETS)))('gets the same from every route: hooks that %s', async name => {
    const routes = [withHooks(SETS[name]!), withHooks(SETS[name]!), withHooks(SETS[name]!)]
    const [node, daemon, alone] = routes as [Around, Around, Around]
    try {
      await daemon.startDaemon()
      for (const run of runs) {
        const event = run.event ?? String(run.stdin.hook_event_name)
        const play = async (around: Around, way: 'byNode' | 'byClient') => {
          const input = JSON.stringify({ ...run.stdin, cwd: around.root })
          const env = { ONLY_HERE: 'of the caller', CLAUDE_PROJECT_DIR: around.root }
          return shown(await around[way](event, input, { agent, env }), around)
        }
        const expected = await play(node, 'byNode')
        expect({ event, ...(await play(daemon, 'byClient')) }).toEqual({ event, ...expected })
        expect({ event, ...(await play(alone, 'byClient')) }).toEqual({ event, ...expected })
      }
      // The status itself is a call.
      expect(daemon.status()).toMatchObject({ declined: {} })
      expect(daemon.status()!.calls).toBeGreaterThan(runs.length)
    } finally {
      await Promise.all(routes.map(around => around.close()))
    }
  })
})

describe.runIf(hasClient)('odd calls', () => {
  const CASES: readonly (readonly [string, string, readonly string[]])[] = [
    ['an empty payload', '', []],
    ['no JSON', 'x\u0000\u001b[31m', []],
    ['an unknown event', '{"session_id":"s1","hook_event_name":"Later"}', []],
    ['an unknown option', '{}', ['--colour']],
    ['a wrong limit', '{}', ['--limit', '0']],
    ['two agents', '{}', ['codex']],
    ['help', '{}', ['--help']],
  ]

  it.each(CASES)('%s: the same response', async (_, input, args) => {
    const around = withHooks(DENIES)
    try {
      await around.startDaemon()
      const options = { args }
      const node = await around.byNode('PreToolUse', input, options)
      expect(await around.byClient('PreToolUse', input, options)).toEqual(node)
    } finally {
      await around.close()
    }
  })

  it('a payload of 8 MB: the same response', async () => {
    const around = withHooks(DENIES)
    try {
      await around.startDaemon()
      await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }))
      const input = around.shell(`echo ${'x'.repeat(8_000_000)}`)
      const node = await around.byNode('PreToolUse', input)
      expect(node.stdout).toContain('"deny"')
      expect(await around.byClient('PreToolUse', input)).toEqual(node)
    } finally {
      await around.close()
    }
  })

  it('a hook that outlasts the limit of the call: the same response', async () => {
    const around = withHooks(SLOW, { timeout: 100 })
    try {
      await around.startDaemon()
      await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }), {
        args: ['--limit', '0.5'],
      })
      const options = { args: ['--limit', '0.5'] }
      const node = await around.byNode('PreToolUse', around.shell('ls'), options)
      expect(await around.byClient('PreToolUse', around.shell('ls'), options)).toEqual(node)
    } finally {
      await around.close()
    }
  })
})
