// npm start, without the build: everything starts, works, ends on request, and continues at the next start.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { endAll, watched } from '../processes.js'
import { runsEverything } from '../scope.js'

const RUN = fileURLToPath(new URL('../../scripts/demo/run.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'))
/** Programs that change something, as users have them. */
const real = join(folder, 'real')
const called = join(folder, 'called')
mkdirSync(real)
for (const name of ['terraform', 'kubectl', 'gh'])
  writeFileSync(join(real, name), `#!/bin/sh\necho "${name} $*" >> '${called}'\n`, { mode: 0o755 })

afterAll(async () => {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
})

async function start() {
  const child = watched(
    spawn(process.execPath, [RUN, join(folder, 'demo')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${real}:${process.env.PATH}`,
        ...(runsEverything ? {} : { HOLDFAST_DEMO_DEVICES: '4' }),
      },
    }),
  )
  let said = ''
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      said += chunk
      if (said.includes('Ctrl-C')) resolve()
    })
    child.stderr.on('data', chunk => (said += chunk))
    void ended.then(() => reject(new Error(said)))
  })
  const [dashboard, panel] = [...said.matchAll(/http:\/\/\S+/g)].map(([url]) => new URL(url))
  return {
    dashboard: dashboard!,
    panel: panel!,
    async stop(signal: NodeJS.Signals) {
      child.kill(signal)
      return { code: await ended, said }
    },
  }
}

const isThere = (url: URL) =>
  fetch(new URL('/', url)).then(
    ({ status }) => status,
    () => null,
  )

const until = async (what: () => boolean) => {
  for (let tries = 0; tries < 200 && !what(); tries++) await new Promise(resolve => setTimeout(resolve, 100))
  expect(what()).toBe(true)
}

describe('npm start', () => {
  it('starts, shows activity, stops cleanly, and continues at the next start', async () => {
    const log = () => {
      try {
        return readFileSync(join(folder, 'demo/home/.holdfast/log/runs.jsonl'), 'utf8')
      } catch {
        return ''
      }
    }
    const first = await start()
    expect(await isThere(first.dashboard)).toBe(200)
    expect(await isThere(first.panel)).toBe(200)
    // The agent's own hooks, and those of the team.
    await until(() => /guard-git/.test(log()) && /"source":"team"/.test(log()))
    await expect(start()).rejects.toThrow(/is running already, in process \d+/)
    // The call after that of terraform.
    await until(() => /curl --version/.test(log()))
    const ended = await first.stop('SIGINT')
    expect(ended.code).toBe(0)
    expect(ended.said).toContain('Stopping … done.')
    expect(await isThere(first.dashboard)).toBe(null)
    expect(await isThere(first.panel)).toBe(null)
    // The agent calls stand-ins, so nothing on this machine is changed.
    expect(existsSync(called)).toBe(false)

    // A second start takes as long as the first.
    if (!runsEverything) return
    const runs = log().length
    const second = await start()
    expect(second.dashboard.port).toBe(first.dashboard.port)
    await until(() => log().length > runs)
    const again = await second.stop('SIGTERM')
    expect(again.code).toBe(0)
    expect(again.said).not.toContain('making a demonstration team')
  }, 120_000)
})
