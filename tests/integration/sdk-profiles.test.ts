// One program, every version: responses of the SDK take effect wherever the version supports them.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isBlocked, openHooks } from '../../packages/hooks/src/index.js'
import { EVENT_SPECS, type EventName, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { eventsUnder, PROFILE_NAMES, PROFILES } from '../../packages/hooks/src/protocol/profiles.js'
import { root } from '../architecture/source.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const gates = EVENT_SPECS.filter(({ gate }) => gate !== 'none')

beforeAll(() => {
  mkdirSync(join(folder, '.cursor/hooks'), { recursive: true })
  const handlers = gates.map(({ name, answer }) =>
    'agent_message' in answer
      ? `${name}: p => deny('to the user', { agent: 'to the model' })`
      : `${name}: p => deny('to the user')`,
  )
  const source = `import { deny, hook } from '@holdfast/hooks/sdk'\nhook({ ${handlers.join(', ')} })`
  writeFileSync(join(folder, '.cursor/hooks/all.ts'), source)
  execFileSync(process.execPath, [join(root, 'packages/cli/bin/holdfast.cjs'), 'build'], { cwd: folder })
  // An absolute path: versions resolve relative ones differently.
  const entry = { command: `node ${join(folder, '.cursor/hooks/all.cjs')}` }
  const hooks = Object.fromEntries(gates.map(({ name }) => [name, [entry]]))
  writeFileSync(join(folder, '.cursor/hooks.json'), JSON.stringify({ version: 1, hooks }))
})

const honours = (spec: EventSpec, field: string) => field in spec.answer

describe.each([...PROFILE_NAMES])('%s', profile => {
  const specs = [...eventsUnder(PROFILES[profile]).values()].filter(({ name }) =>
    gates.some(gate => gate.name === name),
  )

  it('takes the deny of every gate that it has, with the texts that it shows', async () => {
    const home = join(folder, 'home')
    const enterpriseDir = join(folder, 'enterprise')
    const engine = await openHooks({
      workspaceRoots: [folder],
      home,
      enterpriseDir,
      profile,
      trustAll: true,
      watch: false,
    })
    try {
      const verdicts = await Promise.all(
        specs.map(
          async spec => [spec, await engine.fire(spec.name as EventName, spec.sample as never)] as const,
        ),
      )
      for (const [spec, verdict] of verdicts) {
        const seen = {
          event: spec.name,
          blocked: isBlocked(verdict),
          user: verdict.userMessage,
          agent: verdict.agentMessage,
          failed: verdict.runs.filter(({ outcome }) => outcome.kind === 'failed').length,
        }
        const canBlock = spec.gate !== 'none'
        expect(seen).toEqual({
          event: spec.name,
          blocked: canBlock,
          user: canBlock && honours(spec, 'user_message') ? 'to the user' : null,
          agent: canBlock && honours(spec, 'agent_message') ? 'to the model' : null,
          failed: 0,
        })
      }
      expect(verdicts.length).toBeGreaterThan(3)
    } finally {
      engine.close()
    }
  })
})
