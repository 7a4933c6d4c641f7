// What the panel knows of hooks, and what it does with them: a real `holdfast ui`, real files, real hooks.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { enter, type Inside, openStream } from './calls.js'
import { FILES, type PanelOptions, startPanel, type TestPanel } from './panel.js'

const BIN = join(import.meta.dirname, '../../packages/cli/bin/holdfast.cjs')
let panel: TestPanel
let inside: Inside

async function open(options: PanelOptions = {}) {
  panel = await startPanel(options)
  inside = await enter(panel.link)
}
afterEach(() => panel.stop())

const hooks = async () =>
  (await inside.call('ListSources')).sources.flatMap((source: any) => source.hooks ?? [])
const project = async () =>
  (await inside.call('ListSources')).sources.find((one: any) => one.kind === 'project')
const GUARD = 'project:.cursor/hooks.json:hooks.beforeShellExecution[0]'

describe('the workspace', () => {
  it('comes with the tables that pages are drawn from', async () => {
    await open()
    const said = await inside.call('GetWorkspace')
    expect(said).toMatchObject({ name: 'workspace', profile: 'holdfast', hooks: 4 })
    expect(said.events).toHaveLength(21)
    const shell = said.events.find((one: any) => one.name === 'beforeShellExecution')
    expect(shell.gate).toBe('permission')
    expect(JSON.parse(shell.schemaJson).properties.command).toBeDefined()
    for (const { payloadJson } of shell.samples)
      expect(JSON.parse(payloadJson).command).toEqual(expect.any(String))
    expect(JSON.parse(said.schemaJson).properties.hooks).toBeDefined()
    expect(said.profiles.at(-1).name).toBe('holdfast')
  })

  it('has samples that can be fired, every one', async () => {
    await open()
    const { events } = await inside.call('GetWorkspace')
    for (const { name, samples } of events) {
      for (const { payloadJson } of samples) {
        const { problems = [] } = await inside.call('Explain', { event: name, payloadJson })
        expect(problems, `${name} ${payloadJson}`).toEqual([])
      }
    }
  })
})

describe('hooks', () => {
  it('stand under their sources in the order in which they run, with what the log knows of them', async () => {
    await open({
      homeFiles: {
        '.cursor/hooks.json': '{"version":1,"hooks":{"beforeShellExecution":[{"command":"true"}],"nope":[]}}',
      },
    })
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force')
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'broken')
    const { sources } = await inside.call('ListSources')
    const there = sources.filter(({ state }: any) => state !== 'absent')
    expect(there.map(({ kind, state, canEdit }: any) => [kind, state, canEdit])).toEqual([
      ['project', 'loaded', true],
      ['user', 'loaded', true],
    ])
    const shell = (await hooks()).filter(({ event }: any) => event === 'beforeShellExecution')
    expect(shell.map(({ name, order, state }: any) => [name, order, state])).toEqual([
      ['guard.sh', 1, 'loaded'],
      ['watch.sh', 2, 'loaded'],
      ['broken.sh', 3, 'loaded'],
      ['true', 4, 'loaded'],
    ])
    expect(shell[0]).toMatchObject({ line: 6, timeoutS: 5, onFailure: 'fails open: failClosed is not set' })
    expect(shell[0].history).toMatchObject({ runs: 2, denied: 1, lastVerdict: 'allow' })
    expect(shell[0].history.p95Ms).toBeGreaterThanOrEqual(shell[0].history.p50Ms)
    expect(shell[2].history).toMatchObject({ runs: 1, failedOpen: 1, lastVerdict: 'failed_open' })
    const checked = JSON.parse((await panel.holdfast('check', '--json')).stdout)
    const said = sources.flatMap(({ problems = [], hooks = [] }: any) => [
      ...problems,
      ...hooks.flatMap((hook: any) => hook.problems ?? []),
    ])
    expect(said.map(({ message }: any) => message).sort()).toEqual(
      checked.issues.map(({ message }: any) => message).sort(),
    )
    expect(said).toContainEqual(expect.objectContaining({ code: 'config/unknown-event', path: 'nope' }))
  })

  it('have their problems with them, with the fix', async () => {
    await open({
      files: {
        '.cursor/hooks.json':
          '{"version":1,"hooks":{"stop":[{"command":"./gone.sh"}],"preToolUse":[{"command":"true","matcher":"("}]}}',
      },
    })
    const [stop, tool] = await hooks()
    expect(stop.problems[0]).toMatchObject({
      path: 'stop[0].command',
      line: 1,
      hint: expect.stringMatching(/./),
    })
    expect(tool).toMatchObject({ state: 'invalid', problems: [{ code: 'config/bad-matcher' }] })
  })

  it('keep their last good form while the file is broken, and say so', async () => {
    await open()
    panel.write('.cursor/hooks.json', '{ "version": 1, "hooks": {')
    const source = await project()
    expect(source.state).toBe('stale')
    expect(source.hooks).toHaveLength(4)
    expect(source.problems.map(({ code }: any) => code)).toContain('config/syntax')
  })

  it('show their scripts, and nothing that a link leads to outside of the project', async () => {
    await open({
      files: {
        ...FILES,
        '.cursor/hooks.json':
          '{"version":1,"hooks":{"stop":[{"command":".cursor/hooks/guard.sh"},{"command":"sh .cursor/hooks/link.sh"},{"command":"./big.py"}]}}',
        'big.py': `# ${'x'.repeat(400_000)}\n`,
      },
    })
    writeFileSync(join(panel.home, 'secret'), 'hunter2')
    symlinkSync(join(panel.home, 'secret'), join(panel.root, '.cursor/hooks/link.sh'))
    const [guard, link, big] = await hooks()
    const { scripts } = await inside.call('GetHook', { id: guard.id })
    expect(scripts).toEqual([
      expect.objectContaining({
        shown: expect.stringContaining('guard.sh'),
        language: 'sh',
        text: FILES['.cursor/hooks/guard.sh'],
      }),
    ])
    expect(JSON.stringify(await inside.call('GetHook', { id: link.id }))).not.toContain('hunter2')
    const { scripts: cut } = await inside.call('GetHook', { id: big.id })
    expect(cut[0]).toMatchObject({ cut: true, language: 'py', size: '400003' })
    expect(cut[0].text).toHaveLength(256 * 1024)
    for (const id of ['', 'x', '../../etc/passwd', '/etc/passwd', 'project:/etc/passwd:hooks.stop[0]']) {
      await expect(inside.call('GetHook', { id })).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('trust', () => {
  it('is given to what was shown, and to nothing else', async () => {
    await open({ trusted: false })
    const shown = await hooks()
    expect(shown.map(({ state }: any) => state)).toEqual(['untrusted', 'untrusted', 'untrusted', 'untrusted'])
    const seen = shown.map(({ id, fingerprint }: any) => ({ id, fingerprint }))
    panel.write('.cursor/hooks/guard.sh', '#!/bin/sh\nrm -rf /\n')
    await expect(inside.call('Trust', { hooks: seen })).rejects.toMatchObject({
      code: 'aborted',
      message: 'guard.sh changed since you looked. Look at it again first.',
    })
    expect((await hooks()).every(({ state }: any) => state === 'untrusted')).toBe(true)
    panel.write('.cursor/hooks/guard.sh', FILES['.cursor/hooks/guard.sh']!)
    expect(await inside.call('Trust', { hooks: seen.slice(0, 1) })).toEqual({ trusted: 1 })
    expect((await hooks()).map(({ state }: any) => state)).toEqual([
      'loaded',
      'untrusted',
      'untrusted',
      'untrusted',
    ])
    expect((await panel.holdfast('trust', '--list')).stdout).toContain('1 trusted')
    await expect(inside.call('Trust', { hooks: [] })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(
      inside.call('Trust', { hooks: [{ id: seen[1].id, fingerprint: '' }] }),
    ).rejects.toMatchObject({ code: 'aborted' })
  })

  it('is lost by what changes, which is then called changed', async () => {
    await open()
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'ls')
    panel.write('.cursor/hooks/guard.sh', '#!/bin/sh\n# other\n')
    expect((await hooks())[0]).toMatchObject({ name: 'guard.sh', state: 'changed' })
  })

  it('says when it cannot be kept', async () => {
    await open({ trusted: false })
    const [{ id, fingerprint }] = await hooks()
    rmSync(join(panel.home, '.holdfast'), { recursive: true, force: true })
    writeFileSync(join(panel.home, '.holdfast'), 'a file')
    await expect(inside.call('Trust', { hooks: [{ id, fingerprint }] })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringMatching(/^Trust could not be saved in .*trust\.json/),
    })
  })
})

describe('files', () => {
  it('are saved as the page sends them, byte by byte', async () => {
    await open()
    const { id } = await project()
    const file = join(panel.root, '.cursor/hooks.json')
    chmodSync(file, 0o600)
    const texts = [
      '\ufeff{\r\n\t"version": 1, // why\r\n\t"hooks": {},\r\n}',
      '{"version":1,"hooks":{}}',
      '{}\n\n',
      '',
    ]
    let { hash } = await inside.call('GetFile', { sourceId: id })
    for (const text of texts) {
      const saved = await inside.call('SaveFile', { sourceId: id, text, baseHash: hash })
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const read = await inside.call('GetFile', { sourceId: id })
      expect([read.text ?? '', read.hash]).toEqual([text, saved.hash])
      hash = saved.hash
    }
  })

  it('are not saved over what somebody else wrote meanwhile', async () => {
    await open()
    const { id } = await project()
    const { hash, text } = await inside.call('GetFile', { sourceId: id })
    panel.write('.cursor/hooks.json', `${text}\n`)
    await expect(inside.call('SaveFile', { sourceId: id, text: '{}', baseHash: hash })).rejects.toMatchObject(
      {
        code: 'aborted',
        message: expect.stringContaining('was changed since you began to edit it'),
      },
    )
    await expect(inside.call('SaveFile', { sourceId: id, text: '{}' })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(readFileSync(join(panel.root, '.cursor/hooks.json'), 'utf8')).toBe(`${text}\n`)
  })

  it('stay links where they are links, and are made where there are none', async () => {
    await open({ files: { 'README.md': '' } })
    const { sources } = await inside.call('ListSources')
    const [own, user] = ['project', 'user'].map(kind => sources.find((one: any) => one.kind === kind))
    expect(own).toMatchObject({ state: 'absent', canEdit: true })
    const text = '{ "version": 1, "hooks": { "stop": [ { "command": "true" } ] } }\n'
    await inside.call('SaveFile', { sourceId: own.id, text })
    expect(readFileSync(join(panel.root, '.cursor/hooks.json'), 'utf8')).toBe(text)
    expect((await hooks()).map(({ name }: any) => name)).toEqual(['true'])
    mkdirSync(join(panel.home, 'dotfiles'))
    mkdirSync(join(panel.home, '.cursor'))
    writeFileSync(join(panel.home, 'dotfiles/hooks.json'), '{}')
    symlinkSync('../dotfiles/hooks.json', join(panel.home, '.cursor/hooks.json'))
    const { hash } = await inside.call('GetFile', { sourceId: user.id })
    await inside.call('SaveFile', { sourceId: user.id, text, baseHash: hash })
    expect(lstatSync(join(panel.home, '.cursor/hooks.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(panel.home, 'dotfiles/hooks.json'), 'utf8')).toBe(text)
  })

  it('of a project are not shown when a link leads out of it, and are only named by their source', async () => {
    await open()
    const { id } = await project()
    writeFileSync(join(panel.home, 'secret'), 'hunter2')
    rmSync(join(panel.root, '.cursor/hooks.json'))
    symlinkSync(join(panel.home, 'secret'), join(panel.root, '.cursor/hooks.json'))
    expect((await project()).canEdit ?? false).toBe(false)
    for (const call of [
      inside.call('GetFile', { sourceId: id }),
      inside.call('SaveFile', { sourceId: id, text: 'x', baseHash: '' }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'permission_denied' })
    }
    for (const sourceId of ['', '/etc/passwd', join(panel.root, '.cursor/hooks.json')]) {
      await expect(inside.call('GetFile', { sourceId })).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(readFileSync(join(panel.home, 'secret'), 'utf8')).toBe('hunter2')
  })

  it('that are not text, or too large, say so', async () => {
    await open()
    const { id } = await project()
    writeFileSync(join(panel.root, '.cursor/hooks.json'), Buffer.from([0xff, 0xfe, 0x7b]))
    await expect(inside.call('GetFile', { sourceId: id })).rejects.toMatchObject({
      message: expect.stringContaining('is not UTF-8'),
    })
    const { hash } = await inside.call('GetWorkspace').then(() => ({ hash: '' }))
    await expect(
      inside.call('SaveFile', { sourceId: id, text: 'x'.repeat(5 * 1024 * 1024), baseHash: hash }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('are checked before they are saved, with the eyes of holdfast check', async () => {
    await open()
    const { id } = await project()
    const text = `{
  "version": 1,
  "hooks": {
    "beforeShellExecution": [ { "command": "./.cursor/hooks/guard.sh", "timeout": "x" }, { "command": "./gone.sh" } ],
    "beforeShelExecution": []
  }
}`
    const { problems } = await inside.call('CheckFile', { sourceId: id, text })
    panel.write('.cursor/hooks.json', text)
    const { issues } = JSON.parse((await panel.holdfast('check', '--json')).stdout)
    const own = issues.filter(({ code }: any) => code !== 'trust/untrusted')
    const short = ({ code, line, column, message, hint, severity }: any) => [
      code,
      line,
      column,
      message,
      hint,
      severity,
    ]
    expect(problems.map(short)).toEqual(own.map(short))
    expect(problems[0].file).toBe(join(panel.root, '.cursor/hooks.json'))
    expect((await inside.call('CheckFile', { sourceId: id, text: '{' })).problems[0].code).toBe(
      'config/syntax',
    )
  })
})

const seenIn = ({ runs = [] }: any) =>
  runs.map(({ hookId, fingerprint }: any) => ({ id: hookId, fingerprint }))

describe('fire', () => {
  const event = 'beforeShellExecution'
  const payloadJson = JSON.stringify({ command: "git push --force origin 'main'" })

  it('starts what was explained, and tells the whole way', async () => {
    await open()
    const explained = await inside.call('Explain', { event, payloadJson })
    expect(explained.runs.map(({ hook, why }: any) => [hook, why])).toEqual([
      ['guard.sh', 'it has no pattern'],
      ['watch.sh', 'the pattern git is found in the command'],
    ])
    expect(explained.skipped).toMatchObject([{ hook: 'broken.sh', reason: 'matcher' }])
    expect(existsSync(panel.logFile)).toBe(false)
    const { paths } = await inside.call('Fire', { event, payloadJson, seen: seenIn(explained) })
    expect(paths).toMatchObject([
      {
        event,
        verdict: 'deny',
        skippedKnown: true,
        userMessage: 'Force pushes are blocked in this repository.',
        agentMessage: 'Open a pull request instead.',
        merged: 'Only guard.sh had an opinion: deny.',
      },
    ])
    const [guard, watch] = paths[0].steps
    expect(guard).toMatchObject({ verdict: 'deny', decided: true, exitCode: 0 })
    expect(watch).toMatchObject({ verdict: 'silent' })
    expect(JSON.parse(guard.answerJson)).toMatchObject({ permission: 'deny' })
    // It is in the log, as if it had been fired from a terminal.
    const { path, step } = await inside.call('GetRun', { id: watch.runId })
    expect(step).toBe(1)
    expect(path).toMatchObject({
      verdict: 'deny',
      merged: paths[0].merged,
      userMessage: paths[0].userMessage,
    })
    expect(path.steps.map(({ hook, verdict }: any) => [hook, verdict])).toEqual([
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
      const explained = await inside.call('Explain', asked)
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
      } catch (error: any) {
        said = error.stdout
      }
      const { paths } = await inside.call('Fire', { ...asked, seen: seenIn(explained) })
      const verdict = JSON.parse(said)
      expect(verdict.permission).toBe(paths[0].verdict)
      expect(verdict.runs.map(({ hook }: any) => hook).length).toBe(paths[0].steps.length)
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

  it('does not start what changed since, or what was not shown', async () => {
    await open({
      homeFiles: {
        '.cursor/hooks.json': '{"version":1,"hooks":{"beforeShellExecution":[{"command":"./own.sh"}]}}',
        '.cursor/own.sh': '#!/bin/sh\ncat > /dev/null\n',
      },
    })
    const explained = await inside.call('Explain', { event, payloadJson })
    const seen = seenIn(explained)
    expect(seen).toHaveLength(3)
    await expect(inside.call('Fire', { event, payloadJson, seen: seen.slice(1) })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('guard.sh would run, too'),
    })
    writeFileSync(join(panel.home, '.cursor/own.sh'), `#!/bin/sh\ntouch ${panel.home}/ran\n`)
    await expect(inside.call('Fire', { event, payloadJson, seen })).rejects.toMatchObject({
      code: 'aborted',
      message: expect.stringContaining('own.sh changed since you looked'),
    })
    expect(existsSync(join(panel.home, 'ran'))).toBe(false)
    expect(existsSync(panel.logFile)).toBe(false)
  })

  it('runs once for one key', async () => {
    await open()
    const seen = seenIn(await inside.call('Explain', { event, payloadJson }))
    const asked = { event, payloadJson, seen, key: 'k1' }
    const [one, two] = await Promise.all([inside.call('Fire', asked), inside.call('Fire', asked)])
    expect(two).toEqual(one)
    expect(await inside.call('Fire', asked)).toEqual(one)
    expect(readFileSync(panel.logFile, 'utf8').trim().split('\n')).toHaveLength(2)
    await inside.call('Fire', { ...asked, key: 'k2' })
    expect(readFileSync(panel.logFile, 'utf8').trim().split('\n')).toHaveLength(4)
  })

  it('compares versions without writing them down', async () => {
    await open()
    const profiles = ['cursor-1.7', 'cursor-3', 'holdfast']
    const explained = await inside.call('Explain', { event, payloadJson, profiles })
    // 1.7 knows no patterns, so there all of them run.
    expect(explained.runs.map(({ hook }: any) => hook).sort()).toEqual(['broken.sh', 'guard.sh', 'watch.sh'])
    expect(explained.command).toContain('--profile cursor-1.7,cursor-3,holdfast')
    const { paths, differences } = await inside.call('Fire', {
      event,
      payloadJson,
      profiles,
      seen: seenIn(explained),
    })
    expect(paths.map(({ profile }: any) => profile)).toEqual(profiles)
    expect(
      differences.map(({ profile, outcome, differs = false }: any) => [profile, outcome, differs]),
    ).toEqual([
      ['cursor-1.7', expect.any(String), expect.any(Boolean)],
      ['cursor-3', expect.any(String), expect.any(Boolean)],
      ['holdfast', 'denied', false],
    ])
    expect(existsSync(panel.logFile)).toBe(false)
  })

  it('says what is wrong with a payload, and where', async () => {
    await open()
    const problemsOf = async (text: string) =>
      (await inside.call('Explain', { event, payloadJson: text })).problems.map(
        ({ severity, line, column, path = '', message }: any) => [severity, line, column, path, message],
      )
    expect(await problemsOf('{\n  "command": 3\n}')).toEqual([
      ['error', 2, 14, 'command', '"command" is 3; expected a string.'],
    ])
    expect(await problemsOf('{')).toEqual([['error', 1, 2, '', 'This is not JSON: close brace expected.']])
    expect(await problemsOf('[]')).toEqual([['error', 1, 1, '', 'The payload must be a JSON object.']])
    expect((await problemsOf(`${'['.repeat(100_000)}`))[0][4]).toMatch(/nested too deeply|expected/)
    await expect(inside.call('Fire', { event, payloadJson: '{}' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'The payload cannot be fired. "command" is missing.',
    })
    await expect(inside.call('Explain', { event: 'nothing', payloadJson: '{}' })).rejects.toMatchObject({
      message: 'There is no event "nothing".',
    })
    await expect(
      inside.call('Fire', { event, payloadJson: '{"command":"ls"}', profiles: ['cursor-9'] }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('no profile "cursor-9"'),
    })
  })
})

describe('a run as a test', () => {
  it('is green in holdfast test, whatever the hook did', async () => {
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
    const { runs } = await inside.call('ListRuns')
    expect(runs.length).toBeGreaterThan(10)
    for (const [index, { id }] of runs.entries()) {
      const { text, fileName } = await inside.call('GetTestCase', { runId: id })
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

it('tells pages when hooks, scripts or trust change', async () => {
  await open()
  const stream = openStream(inside)
  await stream.until(heard => heard.length > 0)
  const changes = () => stream.heard.filter(({ hooksChanged }) => hooksChanged).length
  panel.write('.cursor/hooks.json', FILES['.cursor/hooks.json']!.replace('"timeout": 5', '"timeout": 6'))
  await stream.until(() => changes() === 1)
  panel.write('.cursor/hooks/guard.sh', '#!/bin/sh\n')
  await stream.until(() => changes() === 2)
  await panel.holdfast('trust', '--yes')
  await stream.until(() => changes() === 3)
  stream.stop()
})

it('goes on when the workspace goes away', async () => {
  await open()
  renameSync(panel.root, `${panel.root}-gone`)
  const { sources } = await inside.call('ListSources')
  expect(sources.find((one: any) => one.kind === 'project').state).toBe('absent')
  await expect(inside.call('GetHook', { id: GUARD })).rejects.toMatchObject({ code: 'not_found' })
  renameSync(`${panel.root}-gone`, panel.root)
  expect(await hooks()).toHaveLength(4)
})
