// Firing from the panel: real hooks, as the page showed them, once, and recorded as `holdfast fire` does.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExplainResponse } from '@holdfast/web/panel'
import { afterEach, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { enter, type Inside } from './calls.js'
import { FILES, type PanelOptions, startPanel, type TestPanel } from './panel.js'

const BIN = join(import.meta.dirname, '../../packages/cli/bin/holdfast.cjs')
let panel: TestPanel
let inside: Inside

async function open(options: PanelOptions = {}) {
  panel = await startPanel(options)
  inside = await enter(panel.link)
}
afterEach(() => panel.stop())

const seenIn = ({ runs }: ExplainResponse) =>
  runs.map(({ hookId, fingerprint }) => ({ id: hookId, fingerprint }))

describe('fire', () => {
  const event = 'beforeShellExecution'
  const payloadJson = JSON.stringify({ command: "git push --force origin 'main'" })

  it('runs what was shown, and returns every step', async () => {
    await open()
    const explained = await inside.call('explain', { event, payloadJson })
    expect(explained.runs.map(({ hook, why }) => [hook, why])).toEqual([
      ['guard.sh', 'it has no matcher'],
      ['watch.sh', 'the pattern git is found in the command'],
    ])
    expect(explained.skipped).toMatchObject([{ hook: 'broken.sh', reason: 'matcher' }])
    expect(existsSync(panel.logFile)).toBe(false)
    const { paths } = await inside.call('fire', { event, payloadJson, seen: seenIn(explained) })
    expect(paths).toMatchObject([
      {
        event,
        verdict: 'deny',
        skippedKnown: true,
        userMessage: 'Force pushes are blocked in this repository.',
        agentMessage: 'Open a pull request instead.',
        merged: 'Only guard.sh decided: deny.',
      },
    ])
    const [guard, watch] = paths[0]!.steps
    expect(guard).toMatchObject({ verdict: 'deny', decided: true, exitCode: 0 })
    expect(watch).toMatchObject({ verdict: 'silent' })
    expect(JSON.parse(guard!.answerJson)).toMatchObject({ permission: 'deny' })
    // It is in the log, like an event fired from a terminal.
    const { path, step } = await inside.call('getRun', { id: watch!.runId })
    expect(step).toBe(1)
    expect(path).toMatchObject({
      verdict: 'deny',
      merged: paths[0]!.merged,
      userMessage: paths[0]!.userMessage,
    })
    expect(path!.steps.map(({ hook, verdict }) => [hook, verdict])).toEqual([
      ['guard.sh', 'deny'],
      ['watch.sh', 'silent'],
    ])
  })

  it('gives the command that does the same in a shell', async () => {
    await open()
    const payloads = [
      { command: 'git push --force \'x\' "y" $HOME `id` \\ \n!', cwd: '/a b', sandbox: true },
      { command: '--force', unknown: { a: [1] } },
      { command: 'x'.repeat(3000) },
    ]
    for (const payload of payloads) {
      const asked = { event, payloadJson: JSON.stringify(payload) }
      const explained = await inside.call('explain', asked)
      const bin = `${process.execPath} ${BIN}`
      const line = explained.command.replace(/(^|\| )holdfast /, `$1${bin} `)
      let said: string
      try {
        said = execFileSync('sh', ['-c', `${line} --json`], {
          cwd: panel.root,
          encoding: 'utf8',
          env: { ...process.env, HOME: panel.home },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      } catch (error) {
        said = (error as { stdout: string }).stdout
      }
      const { paths } = await inside.call('fire', { ...asked, seen: seenIn(explained) })
      const verdict = JSON.parse(said)
      expect(verdict.permission).toBe(paths[0]!.verdict)
      expect(verdict.runs.length).toBe(paths[0]!.steps.length)
      const records = readFileSync(panel.logFile, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      const requests = records.slice(-2 * verdict.runs.length).map(({ request }) => {
        const { conversation_id, generation_id, session_id, ...rest } = request
        return rest
      })
      expect(requests.at(-1)).toEqual(requests[0])
      expect(requests[0]).toMatchObject(payload)
    }
  })

  it('does not run a hook that changed or was not shown', async () => {
    await open({
      homeFiles: {
        '.cursor/hooks.json': '{"version":1,"hooks":{"beforeShellExecution":[{"command":"./own.sh"}]}}',
        '.cursor/own.sh': '#!/bin/sh\ncat > /dev/null\n',
      },
    })
    const explained = await inside.call('explain', { event, payloadJson })
    const seen = seenIn(explained)
    expect(seen).toHaveLength(3)
    await expect(inside.call('fire', { event, payloadJson, seen: seen.slice(1) })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('guard.sh would also run'),
    })
    writeFileSync(join(panel.home, '.cursor/own.sh'), `#!/bin/sh\ntouch ${panel.home}/ran\n`)
    await expect(inside.call('fire', { event, payloadJson, seen })).rejects.toMatchObject({
      code: 'aborted',
      message: expect.stringContaining('own.sh changed since it was shown'),
    })
    expect(existsSync(join(panel.home, 'ran'))).toBe(false)
    expect(existsSync(panel.logFile)).toBe(false)
  })

  it('runs once for one key', async () => {
    await open()
    const seen = seenIn(await inside.call('explain', { event, payloadJson }))
    const asked = { event, payloadJson, seen, key: 'k1' }
    const [one, two] = await Promise.all([inside.call('fire', asked), inside.call('fire', asked)])
    expect(two).toEqual(one)
    expect(await inside.call('fire', asked)).toEqual(one)
    expect(readFileSync(panel.logFile, 'utf8').trim().split('\n')).toHaveLength(2)
    await inside.call('fire', { ...asked, key: 'k2' })
    expect(readFileSync(panel.logFile, 'utf8').trim().split('\n')).toHaveLength(4)
  })

  it('compares versions without writing them down', async () => {
    await open()
    const profiles = ['cursor-1.7', 'cursor-3', 'holdfast']
    const explained = await inside.call('explain', { event, payloadJson, profiles })
    // Version 1.7 has no patterns, so all of them run.
    expect(explained.runs.map(({ hook }) => hook).sort()).toEqual(['broken.sh', 'guard.sh', 'watch.sh'])
    expect(explained.command).toContain('--profile cursor-1.7,cursor-3,holdfast')
    const { paths, differences } = await inside.call('fire', {
      event,
      payloadJson,
      profiles,
      seen: seenIn(explained),
    })
    expect(paths.map(({ profile }) => profile)).toEqual(profiles)
    expect(differences.map(({ profile, outcome, differs = false }) => [profile, outcome, differs])).toEqual([
      ['cursor-1.7', expect.any(String), expect.any(Boolean)],
      ['cursor-3', expect.any(String), expect.any(Boolean)],
      ['holdfast', 'denied', false],
    ])
    expect(existsSync(panel.logFile)).toBe(false)
  })

  it('says what is wrong with a payload, and where', async () => {
    await open()
    const problemsOf = async (text: string) =>
      (await inside.call('explain', { event, payloadJson: text })).problems.map(
        ({ severity, line, column, path = '', message }) => [severity, line, column, path, message],
      )
    expect(await problemsOf('{\n  "command": 3\n}')).toEqual([
      ['error', 2, 14, 'command', '"command" is 3; expected a string.'],
    ])
    expect(await problemsOf('{')).toEqual([['error', 1, 2, '', 'This is not JSON: close brace expected.']])
    expect(await problemsOf('[]')).toEqual([['error', 1, 1, '', 'The payload must be a JSON object.']])
    expect((await problemsOf(`${'['.repeat(100_000)}`))[0]![4]).toMatch(/nested too deeply|expected/)
    await expect(inside.call('fire', { event, payloadJson: '{}' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'The payload cannot be fired. "command" is missing.',
    })
    await expect(inside.call('explain', { event: 'nothing', payloadJson: '{}' })).rejects.toMatchObject({
      message: 'There is no event "nothing".',
    })
    await expect(
      inside.call('fire', { event, payloadJson: '{"command":"ls"}', profiles: ['cursor-9'] }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('no profile "cursor-9"'),
    })
  })
})

describe('a run as a test', () => {
  itInAll('is green in holdfast test, whatever the hook did', async () => {
    const script = (answer: string) => `#!/bin/sh\ncat > /dev/null\n${answer}\n`
    await open({
      files: {
        '.cursor/hooks.json': JSON.stringify({
          version: 1,
          hooks: {
            beforeShellExecution: [
              { command: '.cursor/hooks/guard.sh' },
              { command: '.cursor/hooks/closed.sh', failClosed: true, matcher: 'closed' },
              { command: '.cursor/hooks/open.sh', matcher: 'open' },
              { command: '.cursor/hooks/exit2.sh', matcher: 'two' },
            ],
            beforeSubmitPrompt: [{ command: '.cursor/hooks/prompt.sh' }],
            stop: [{ command: '.cursor/hooks/follow.sh' }],
            beforeReadFile: [{ command: '.cursor/hooks/read.sh' }],
            afterFileEdit: [{ command: '.cursor/hooks/silent.sh' }],
            sessionStart: [{ command: '.cursor/hooks/context.sh' }],
          },
        }),
        '.cursor/hooks/guard.sh': FILES['.cursor/hooks/guard.sh']!,
        '.cursor/hooks/closed.sh': script('exit 3'),
        '.cursor/hooks/open.sh': script('exit 3'),
        '.cursor/hooks/exit2.sh': script('echo "no: not this" >&2; exit 2'),
        '.cursor/hooks/prompt.sh': script(`echo '{"continue":false,"user_message":"/not a pattern/"}'`),
        '.cursor/hooks/follow.sh': script(`echo '{"followup_message":"go on: yes, \\"do\\" # it"}'`),
        '.cursor/hooks/read.sh': script(`echo '{"permission":"deny","user_message":"no"}'`),
        '.cursor/hooks/silent.sh': script(''),
        '.cursor/hooks/context.sh': script(`echo '{"additional_context":"line one\\nline two"}'`),
      },
    })
    const fire = (...args: string[]) => panel.holdfast('fire', ...args)
    await fire('beforeShellExecution', '--command', 'git push --force: "x" # y')
    await fire('beforeShellExecution', '--command', 'rm -rf build')
    await fire('beforeShellExecution', '--command', 'open closed two')
    await fire('beforeShellExecution', '--command', '- ls\n\ttab')
    await fire('beforeSubmitPrompt', '--prompt', 'yes')
    await fire('stop')
    await fire('beforeReadFile', '--file-path', `${panel.root}/.env`, '--content', 'KEY=1')
    await fire(
      'afterFileEdit',
      '--file-path',
      `${panel.root}/a.ts`,
      '--edits',
      '[{"old_string":"a","new_string":"b"}]',
    )
    await fire('sessionStart')
    await fire('beforeShellExecution', '--command', 'git push --force', '--profile', 'cursor-3')
    // A row of the list is an event; each hook that ran is a test.
    const { runs: events } = await inside.call('listRuns')
    expect(events).toHaveLength(10)
    const paths = await Promise.all(events.map(({ id }) => inside.call('getRun', { id })))
    const runs = paths.flatMap(({ path }) => path!.steps.map(({ runId }) => runId))
    expect(new Set(runs).size).toBe(runs.length)
    expect(runs.length).toBeGreaterThan(10)
    for (const [index, runId] of runs.entries()) {
      const { text, fileName } = await inside.call('getTestCase', { runId })
      panel.write(`.cursor/hooks/${index}-${fileName}`, text)
    }
    const said = execFileSync(process.execPath, [BIN, 'test'], {
      cwd: panel.root,
      encoding: 'utf8',
      env: { ...process.env, HOME: panel.home },
    })
    expect(said).toContain(`${runs.length} passed`)
  })
})
