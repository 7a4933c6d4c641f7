// Ways around the two guarantees that once worked.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileTrustStore, openHooks } from '@holdfast/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trustShown, until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const fields = { command: 'rm -rf /' }
const deny = `echo '{"permission":"deny"}'`
const busy = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** In a process of its own, so that it responds while this one is busy, as soon as a file is there. */
async function openServer(body: string, folder: string) {
  const [received, go, responded] = ['received', 'go', 'responded'].map(name => join(folder, name))
  const code = `const fs = require('node:fs')
    const [, body, received, go, responded] = process.argv
    const server = require('node:http').createServer((_, response) => {
      fs.writeFileSync(received, '')
      while (!fs.existsSync(go));
      response.end(body, () => fs.writeFileSync(responded, ''))
    })
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const args = ['-e', code, body, received!, go!, responded!]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  return {
    url: `http://127.0.0.1:${String(port).trim()}/`,
    hasReceived: () => existsSync(received!),
    respond: () => writeFileSync(go!, ''),
    hasResponded: () => existsSync(responded!),
    stop: () => child.kill(),
  }
}

describe('a deny is never lost', () => {
  it('to a host that is busy past the time limit', async () => {
    space.project({ beforeShellExecution: [{ command: deny, timeout: 0.2 }] })
    const hooks = await space.open()
    const firing = hooks.fire('beforeShellExecution', fields)
    setTimeout(() => busy(400), 20)
    expect((await firing).permission).toBe('deny')
  })

  it.each([
    ['http', { type: 'http' }],
    ['prompt', { type: 'prompt', prompt: 'Is it safe?' }],
  ])('to a host that is busy past the time limit of a hook of the type %s', async (_, entry) => {
    const server = await openServer('{"permission":"deny","ok":false}', space.base)
    try {
      const { url, hasReceived, hasResponded, respond } = server
      const evaluatePrompt = async () => (await (await fetch(url)).json()) as { ok: boolean }
      const own = 'prompt' in entry ? {} : { url }
      space.user({ beforeShellExecution: [{ ...entry, ...own, timeout: 3 }] })
      const hooks = await space.open({ evaluatePrompt })
      const limit = performance.now() + 3000
      const firing = hooks.fire('beforeShellExecution', fields)
      await until(hasReceived)
      respond()
      // The response arrives before the limit, and the host reads it afterwards.
      while (!hasResponded());
      busy(limit + 50 - performance.now())
      expect((await firing).permission).toBe('deny')
    } finally {
      server.stop()
    }
  })

  it('to many hooks of a lower source', async () => {
    space.enterpriseHooks({ beforeShellExecution: [{ command: deny, timeout: 0.3 }] })
    space.user({ beforeShellExecution: Array.from({ length: 100 }, () => ({ command: 'true' })) })
    expect((await (await space.open()).fire('beforeShellExecution', fields)).permission).toBe('deny')
  })

  it('to a log that talks about braces', async () => {
    const log = space.write('log', `${'DEBUG got "{"\n'.repeat(500)}{\n  "continue": false\n}\n`)
    space.project({ beforeSubmitPrompt: [{ command: `cat ${log}` }] })
    expect((await (await space.open()).fire('beforeSubmitPrompt', { prompt: 'x' })).continue).toBe(false)
  })

  it('to an answer that is too deep to be walked through', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const file = space.write('deep', `{"permission":"deny","user_message":${deep}}`)
    space.project({ beforeShellExecution: [{ command: `cat ${file}` }] })
    expect((await (await space.open()).fire('beforeShellExecution', fields)).permission).toBe('deny')
  })

  it('to a function that answers with what cannot be written down', async () => {
    const hooks = await space.open()
    const run = (): never => ({ permission: 'deny', user_message: 10n }) as never
    hooks.register({ event: 'beforeShellExecution', run })
    expect((await hooks.fire('beforeShellExecution', fields)).permission).toBe('deny')
  })
})

describe('influence flows down, never up', () => {
  it('also when a required source comes back during the event', async () => {
    space.user({ beforeShellExecution: [{ command: 'sleep 0.3' }] })
    const hooks = await space.open({ required: ['enterprise'] })
    const firing = hooks.fire('beforeShellExecution', fields)
    space.enterpriseHooks({ beforeShellExecution: [{ command: deny }] })
    await hooks.reload()
    expect((await firing).permission).toBe('deny')
  })
})

describe('a hook judges what another one rewrote', () => {
  it('also if a folder has the name that stands for the home folder', async () => {
    const rewriting = space.folder('project/~/app')
    const judging = space.folder('home/app')
    const rewrite = `echo '{"updated_input":{"command":"rm -rf /"}}'`
    space.project({ preToolUse: [{ command: rewrite }] }, rewriting)
    space.project({ preToolUse: [{ command: 'if grep -q "rm -rf"; then exit 2; fi' }] }, judging)
    const hooks = await space.open({ workspaceRoots: [space.root, rewriting, judging] })
    expect(new Set(hooks.list().map(({ hook }) => hook.id)).size).toBe(2)
    const call = { tool_name: 'Shell', tool_input: { command: 'ls' } }
    expect((await hooks.fire('preToolUse', call)).permission).toBe('deny')
  })
})

describe('trust', () => {
  it.each([
    '"${CURSOR_PROJECT_DIR:-.}/hk/guard.sh"',
    'X=hk/guard.sh; sh $X',
    'sh "$(pwd)/hk/guard.sh"',
    '. ./hk/guard.sh',
    'sh < hk/guard.sh',
    'cat hk/guard.sh | sh',
    'bash -euo pipefail hk/guard.sh',
    'nice -n 5 hk/guard.sh',
    'env -u FOO hk/guard.sh',
    'sh hk/*.sh',
    'for f in hk/*.sh; do sh $f; done',
    'cd -P hk && ./guard.sh',
    'PATH=hk:$PATH guard.sh',
    'BASH_ENV=hk/guard.sh bash -c true',
    `node -e "require('./hk/guard.sh')"`,
    'eval "sh hk/guard.sh"',
  ])('ends with a change of the script in: %s', async command => {
    space.write('hk/guard.sh', '#!/bin/sh\necho {}\n')
    space.project({ beforeShellExecution: [{ command }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    expect(hooks.list()[0]!.state).toBe('ready')
    appendFileSync(join(space.root, 'hk/guard.sh'), '# more\n')
    expect((await hooks.fire('beforeShellExecution', fields)).skipped).toMatchObject([
      { reason: 'untrusted' },
    ])
  })

  it('ends when a file appears that the command would take in', async () => {
    space.project({ beforeShellExecution: [{ command: '[ -f hk/extra.sh ] && . hk/extra.sh; echo {}' }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    expect((await hooks.fire('beforeShellExecution', fields)).runs).toHaveLength(1)
    space.write('hk/extra.sh', 'echo evil')
    expect((await hooks.fire('beforeShellExecution', fields)).skipped).toMatchObject([
      { reason: 'untrusted' },
    ])
  })

  it.each([
    ['beside the configuration folder', 'logs', 1],
    ['into the configuration folder, where scripts could read it', '.cursor', 0],
  ])('does not end because a hook writes its log %s: %s', async (_, folder, runs) => {
    mkdirSync(join(space.root, folder), { recursive: true })
    space.project({
      beforeShellExecution: [
        { command: `date >> ${folder}/audit; echo x | tee -a ${folder}/more.log; echo {}` },
      ],
    })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    await hooks.fire('beforeShellExecution', fields)
    expect((await hooks.fire('beforeShellExecution', fields)).runs).toHaveLength(runs)
  })

  it('does not end because Python compiles a module beside the script', async () => {
    space.write('.cursor/hooks/shared.py', 'ANSWER = "{}"\n')
    space.write('.cursor/hooks/guard.py', 'import shared\nprint(shared.ANSWER)\n')
    space.project({ beforeShellExecution: [{ command: 'python3 .cursor/hooks/guard.py' }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    for (let run = 0; run < 2; run++) {
      const { runs } = await hooks.fire('beforeShellExecution', fields)
      expect(runs).toMatchObject([{ outcome: { kind: 'answered' } }])
    }
  })

  it('that is withdrawn is noticed at the next event, also without a watcher', async () => {
    space.project({ beforeShellExecution: [{ command: 'true' }] })
    const hooks = await space.open({ trustAll: false, watch: false })
    await trustShown(hooks)
    expect((await hooks.fire('beforeShellExecution', fields)).runs).toHaveLength(1)
    await fileTrustStore(join(space.home, '.holdfast/trust.json')).remove(space.root)
    expect((await hooks.fire('beforeShellExecution', fields)).skipped).toMatchObject([
      { reason: 'untrusted' },
    ])
  })

  it('that another process takes back is gone within a second', async () => {
    space.project({ beforeShellExecution: [{ command: 'true' }] })
    const hooks = await space.open({ trustAll: false, watch: true })
    await trustShown(hooks)
    expect(hooks.list()[0]!.state).toBe('ready')
    await fileTrustStore(join(space.home, '.holdfast/trust.json')).remove(space.root)
    await until(() => hooks.list()[0]!.state === 'untrusted')
  })

  it('cannot be had by a home that is not absolute', async () => {
    mkdirSync(join(space.root, '.cursor'))
    writeFileSync(join(space.root, '.cursor/hooks.json'), '{"hooks":{"stop":[{"command":"true"}]}}')
    for (const home of ['', '.', 'x']) {
      await expect(openHooks({ workspaceRoots: [space.root], home })).rejects.toMatchObject({
        code: 'use/bad-option',
      })
    }
  })
})

describe('much at once', () => {
  it('fifty hooks and one signal bring no warning', async () => {
    space.project({ beforeShellExecution: Array.from({ length: 50 }, () => ({ command: 'true' })) })
    const hooks = await space.open()
    const warnings: unknown[] = []
    const hear = (warning: unknown) => warnings.push(warning)
    process.on('warning', hear)
    await hooks.fire('beforeShellExecution', fields, { signal: new AbortController().signal })
    await new Promise(resolve => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('fields that cannot be written as JSON are refused with a sentence', async () => {
    let deep: unknown = {}
    for (let i = 0; i < 20_000; i++) deep = { deep }
    space.project({ preToolUse: [{ command: 'true' }] })
    const hooks = await space.open()
    const firing = hooks.fire('preToolUse', {
      tool_name: 'Shell',
      tool_input: deep as Record<string, unknown>,
    })
    await expect(firing).rejects.toMatchObject({ code: 'use/bad-payload' })
  })
})
