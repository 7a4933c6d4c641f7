// Keeps the agent working until the tests pass: when it stops, the tests run, and the failures become its next
// message.

import { type CommandResult, followup, hook, runCommand } from '@holdfast/hooks/sdk'
import { findTests, type Tests } from './tests.js'

export default hook({
  stop: async ({ status, loop_count, workspace_roots }) => {
    // A turn that the user stopped or that failed is not continued.
    if (status !== 'completed') return
    const tests = findTests(workspace_roots.length > 0 ? workspace_roots : [process.cwd()])
    // After the last round no agent would read the failures.
    if (!tests || loop_count >= tests.rounds) return
    const result = await run(tests)
    if (result.code === 0) return
    return followup(words(tests, result, tests.rounds - loop_count - 1))
  },
})

const run = ({ command, root, timeoutMs }: Tests): Promise<CommandResult> => {
  // With these variables, runners neither watch files nor print colours.
  const options = { cwd: root, timeoutMs, env: { ...process.env, CI: 'true', NO_COLOR: '1' } }
  return process.platform === 'win32'
    ? runCommand('cmd.exe', ['/d', '/s', '/c', command], options)
    : runCommand('sh', ['-c', command], options)
}

function words({ command, timeoutMs }: Tests, result: CommandResult, left: number): string {
  const output = tail(`${result.stdout}\n${result.stderr}`)
  return [
    `The tests do not pass yet: ${command} ${howItEnded(result, timeoutMs)}.`,
    output === '' ? 'It printed nothing.' : `The end of what it printed:\n\n${output}\n`,
    'Fix the cause, not the test, and stop when it passes.',
    left > 0 ? 'They run again when you stop.' : 'They do not run again by themselves.',
  ].join('\n')
}

function howItEnded({ code, signal, timedOut, error }: CommandResult, timeoutMs: number): string {
  if (error !== null) return `could not be started (${error})`
  if (timedOut) return `was ended after ${timeoutMs / 1000} seconds`
  return code === null ? `was ended by ${signal}` : `ended with ${code}`
}

/** Test runners report failures at the end of their output. */
const LONGEST = 4000

function tail(text: string): string {
  const plain = text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').trim()
  if (plain.length <= LONGEST) return plain
  const cut = plain.slice(-LONGEST)
  return `... ${cut.slice(cut.indexOf('\n') + 1)}`
}
