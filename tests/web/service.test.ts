// The hooks that the panel lists and trusts, with a real panel and real files.

import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { enter, type Inside, openStream } from './calls.js'
import { FILES, type PanelOptions, startPanel, type TestPanel } from './panel.js'

let panel: TestPanel
let inside: Inside

async function open(options: PanelOptions = {}) {
  panel = await startPanel(options)
  inside = await enter(panel.link)
}
afterEach(() => panel.stop())

const hooks = async () => (await inside.call('listSources')).sources.flatMap(source => source.hooks)
const project = async () => (await inside.call('listSources')).sources.find(one => one.kind === 'project')!
const GUARD = 'project:.cursor/hooks.json:hooks.beforeShellExecution[0]'

describe('the workspace', () => {
  it('comes with the tables that pages are drawn from', async () => {
    await open()
    const said = await inside.call('getWorkspace')
    expect(said).toMatchObject({ name: 'workspace', profile: 'holdfast', hooks: 4 })
    expect(said.events).toHaveLength(22)
    const shell = said.events.find(one => one.name === 'beforeShellExecution')!
    expect(shell.gate).toBe('permission')
    expect(said.profiles.at(-1)!.name).toBe('holdfast')
  })

  it('tells what an event is written with, and that there is none of another name', async () => {
    await open()
    const { schemaJson, samples } = await inside.call('getEvent', { name: 'beforeShellExecution' })
    expect(JSON.parse(schemaJson).properties.command).toBeDefined()
    for (const { payloadJson } of samples) expect(JSON.parse(payloadJson).command).toEqual(expect.any(String))
    for (const name of ['', 'nope', '../hooks', 'toString'])
      await expect(inside.call('getEvent', { name })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('has samples that can be fired, every one', async () => {
    await open()
    const { events } = await inside.call('getWorkspace')
    for (const { name } of events) {
      const { samples } = await inside.call('getEvent', { name })
      for (const { payloadJson } of samples) {
        const { problems = [] } = await inside.call('explain', { event: name, payloadJson })
        expect(problems, `${name} ${payloadJson}`).toEqual([])
      }
    }
  })
})

describe('hooks', () => {
  it('are listed under their sources in the order in which they run, with their figures from the log', async () => {
    await open({
      homeFiles: {
        '.cursor/hooks.json': '{"version":1,"hooks":{"beforeShellExecution":[{"command":"true"}],"nope":[]}}',
      },
    })
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git push --force')
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'broken')
    const { sources } = await inside.call('listSources')
    const there = sources.filter(({ state }) => state !== 'absent')
    expect(there.map(({ kind, state, canEdit }) => [kind, state, canEdit])).toEqual([
      ['project', 'loaded', true],
      ['user', 'loaded', true],
    ])
    const shell = (await hooks()).filter(({ event }) => event === 'beforeShellExecution')
    expect(shell.map(({ name, order, state }) => [name, order, state])).toEqual([
      ['guard.sh', 1, 'loaded'],
      ['watch.sh', 2, 'loaded'],
      ['broken.sh', 3, 'loaded'],
      ['true', 4, 'loaded'],
    ])
    expect(shell[0]).toMatchObject({ line: 6, timeoutS: 5, onFailure: 'fails open: failClosed is not set' })
    expect(shell[0]!.history).toMatchObject({ runs: 2, denied: 1, lastVerdict: 'allow' })
    expect(shell[0]!.history!.p95Ms).toBeGreaterThanOrEqual(shell[0]!.history!.p50Ms)
    expect(shell[2]!.history).toMatchObject({ runs: 1, failedOpen: 1, lastVerdict: 'failed_open' })
    const checked = JSON.parse((await panel.holdfast('check', '--json')).stdout)
    const said = sources.flatMap(({ problems = [], hooks = [] }) => [
      ...problems,
      ...hooks.flatMap(hook => hook.problems ?? []),
    ])
    expect(said.map(({ message }) => message).sort()).toEqual(
      (checked.issues as { message: string }[]).map(({ message }) => message).sort(),
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
    expect(stop!.problems[0]).toMatchObject({
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
    expect(source.problems.map(({ code }) => code)).toContain('config/syntax')
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
    const { scripts } = await inside.call('getHook', { id: guard!.id })
    expect(scripts).toEqual([
      expect.objectContaining({
        shown: expect.stringContaining('guard.sh'),
        language: 'sh',
        text: FILES['.cursor/hooks/guard.sh'],
      }),
    ])
    expect(JSON.stringify(await inside.call('getHook', { id: link!.id }))).not.toContain('hunter2')
    const { scripts: cut } = await inside.call('getHook', { id: big!.id })
    expect(cut[0]).toMatchObject({ cut: true, language: 'py', size: 400_003n })
    expect(cut[0]!.text).toHaveLength(256 * 1024)
    for (const id of ['', 'x', '../../etc/passwd', '/etc/passwd', 'project:/etc/passwd:hooks.stop[0]']) {
      await expect(inside.call('getHook', { id })).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('trust', () => {
  it('is listed immediately, however recent the previous call', async () => {
    await open({ trusted: false })
    const [first] = await hooks()
    // No time passes between the polls, as on a fast machine.
    const clock = vi.spyOn(process, 'uptime').mockReturnValue(process.uptime())
    try {
      await hooks()
      await inside.call('trust', { hooks: [{ id: first!.id, fingerprint: first!.fingerprint }] })
      expect((await hooks())[0]).toMatchObject({ id: first!.id, state: 'loaded' })
    } finally {
      clock.mockRestore()
    }
  })

  it('is given to what was shown, and to nothing else', async () => {
    await open({ trusted: false })
    const shown = await hooks()
    expect(shown.map(({ state }) => state)).toEqual(['untrusted', 'untrusted', 'untrusted', 'untrusted'])
    const seen = shown.map(({ id, fingerprint }) => ({ id, fingerprint }))
    panel.write('.cursor/hooks/guard.sh', '#!/bin/sh\nrm -rf /\n')
    await expect(inside.call('trust', { hooks: seen })).rejects.toMatchObject({
      code: 'aborted',
      message: 'guard.sh changed since it was shown. Review it again first.',
    })
    expect((await hooks()).every(({ state }) => state === 'untrusted')).toBe(true)
    panel.write('.cursor/hooks/guard.sh', FILES['.cursor/hooks/guard.sh']!)
    expect(await inside.call('trust', { hooks: seen.slice(0, 1) })).toMatchObject({ trusted: 1 })
    expect((await hooks()).map(({ state }) => state)).toEqual([
      'loaded',
      'untrusted',
      'untrusted',
      'untrusted',
    ])
    expect((await panel.holdfast('trust', '--list')).stdout).toContain('1 trusted')
    await expect(inside.call('trust', { hooks: [] })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(
      inside.call('trust', { hooks: [{ id: seen[1]!.id, fingerprint: '' }] }),
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
    const { id, fingerprint } = (await hooks())[0]!
    rmSync(join(panel.home, '.holdfast'), { recursive: true, force: true })
    writeFileSync(join(panel.home, '.holdfast'), 'a file')
    await expect(inside.call('trust', { hooks: [{ id, fingerprint }] })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringMatching(/^Trust could not be saved in .*trust\.json/),
    })
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

it('does not call it a change when it only looked again', async () => {
  await open()
  const stream = openStream(inside)
  await stream.until(heard => heard.length > 0)
  const asked = { event: 'stop', payloadJson: '{}' }
  for (let time = 0; time < 5; time++) await inside.call('explain', asked)
  // A later run is reported later.
  await panel.holdfast('fire', 'beforeShellExecution', '--command', 'ls')
  await stream.until(heard => heard.some(({ runs = [] }) => runs.length > 0))
  expect(stream.heard.filter(({ hooksChanged }) => hooksChanged)).toEqual([])
  stream.stop()
})

it('goes on when the workspace goes away', async () => {
  await open()
  renameSync(panel.root, `${panel.root}-gone`)
  const { sources } = await inside.call('listSources')
  expect(sources.find(one => one.kind === 'project')!.state).toBe('absent')
  await expect(inside.call('getHook', { id: GUARD })).rejects.toMatchObject({ code: 'not_found' })
  renameSync(`${panel.root}-gone`, panel.root)
  expect(await hooks()).toHaveLength(4)
})
