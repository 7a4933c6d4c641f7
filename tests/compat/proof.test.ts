// Each finding of compat is compared with what the engine does in that version: a finding where the result differs, and
// none where it does not.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { discoverOptions } from '../../packages/cli/src/catalog.js'
import { judgeAll, KINDS } from '../../packages/cli/src/compat/judge.js'
import { differencesIn } from '../../packages/cli/src/compat/rehearse.js'
import { IN_ORDER } from '../../packages/cli/src/profiles/names.js'
import { type Simulated, simulate } from '../../packages/cli/src/profiles/simulate.js'
import type { Workspace } from '../../packages/cli/src/workspace.js'
import { EVENTS, type ProfileName } from '../../packages/hooks/src/protocol/index.js'
import { PROOFS, type Proof } from './cases.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Room {
  readonly root: string
  readonly home: string
  readonly enterprise: string
}

/** The files of each source. Hooks keep their order in the file; a prompt hook has no script. */
function furnish({ hooks, event }: Proof): Room {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-compat-')))
  folders.push(base)
  const room = { root: join(base, 'project'), home: join(base, 'home'), enterprise: join(base, 'enterprise') }
  const configs = {
    enterprise: join(room.enterprise, 'hooks.json'),
    project: join(room.root, '.cursor', 'hooks.json'),
    user: join(room.home, '.cursor', 'hooks.json'),
  }
  for (const folder of Object.values(configs)) mkdirSync(join(dirname(folder), 'hooks'), { recursive: true })
  for (const [source, file] of Object.entries(configs)) {
    const entries = hooks.flatMap((hook, index) => {
      if (hook.source !== source) return []
      if (hook.script === '') return [hook.entry ?? {}]
      const script = join(dirname(file), 'hooks', `hook-${index}.sh`)
      writeFileSync(script, hook.script)
      chmodSync(script, 0o755)
      const command = source === 'project' ? `.cursor/hooks/hook-${index}.sh` : `./hooks/hook-${index}.sh`
      return [{ command, ...hook.entry }]
    })
    if (entries.length > 0) writeFileSync(file, JSON.stringify({ version: 1, hooks: { [event]: entries } }))
  }
  return room
}

const workspaceIn = ({ root, home, enterprise }: Room) =>
  ({
    home,
    roots: [root],
    profile: 'holdfast',
    trustFile: join(home, '.holdfast', 'trust.json'),
    host: { workspaceRoots: [root], home, enterpriseDir: enterprise, trustAll: true, watch: false },
  }) as unknown as Workspace

async function findingsOf(room: Room, all: readonly Simulated[], proof: Proof): Promise<ProfileName[]> {
  const { hooks } = await judgeAll(discoverOptions(workspaceIn(room)), IN_ORDER)
  expect(hooks).toHaveLength(proof.hooks.length)
  const { subject, found } = hooks[proof.about ?? 0]!
  if (proof.kind !== 'run')
    return found.flatMap(({ kind, versions }) => (kind === proof.kind ? versions : []))
  return (differencesIn(all, {}).get(subject.hook.id) ?? []).map(([version]) => version)
}

describe('compat', () => {
  it.each(PROOFS.map(proof => [`${proof.kind}: ${proof.what}`, proof] as const))('%s', async (_, proof) => {
    const room = furnish(proof)
    const firing = {
      event: proof.event,
      fields: { ...EVENTS[proof.event].sample, ...proof.fields },
      workspace: workspaceIn(room),
      host: { evaluatePrompt: async () => ({ ok: false, reason: 'no' }) },
      signal: new AbortController().signal,
    }
    const all = await simulate(firing, IN_ORDER, () => {})
    const found = await findingsOf(room, all, proof)
    const said: Record<string, boolean> = {}
    const shown: Record<string, boolean> = {}
    for (const { profile, verdict } of all) {
      const name = profile.name as ProfileName
      const isThere = verdict.runs.length > 0 || !verdict.skipped.some(one => one.reason === 'not-in-version')
      const counts = isThere || proof.kind === 'event' || proof.kind === 'prompt-hook'
      if (!counts || proof.except?.includes(name)) continue
      said[name] = found.includes(name)
      shown[name] = proof.seen(verdict) !== proof.wanted
    }
    expect(said).toEqual(shown)
    expect(Object.values(shown).includes(true)).toBe(!proof.nowhere)
  })

  it('is proven for each kind of finding, in a version where it holds', () => {
    expect(KINDS.filter(kind => !PROOFS.some(proof => proof.kind === kind))).toEqual([])
  })
})
