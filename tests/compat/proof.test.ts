// What compat says from reading is held against what the engine does: a finding where it does otherwise, and none
// where it does not.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { judge, KINDS } from '../../packages/cli/src/compat/judge.js'
import { subjectsOf } from '../../packages/cli/src/compat/subjects.js'
import { IN_ORDER } from '../../packages/cli/src/profiles/names.js'
import { discover, memoryTrustStore, openHooks } from '../../packages/hooks/src/index.js'
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

async function findingsOf(room: Room, { about = 0, kind, hooks }: Proof): Promise<readonly ProfileName[]> {
  const look = async (pathBase: 'root' | 'file') => {
    const { layers } = await discover({
      platform: process.platform,
      home: room.home,
      enterpriseDir: room.enterprise,
      roots: [room.root],
      env: process.env,
      claude: false,
      plugins: [],
      required: [],
      pathBase,
      trust: memoryTrustStore(),
      trustAll: false,
    })
    return layers
  }
  const subjects = subjectsOf({ root: await look('root'), file: await look('file') })
  expect(subjects).toHaveLength(hooks.length)
  return judge(subjects[about]!, IN_ORDER).flatMap(found => (found.kind === kind ? found.versions : []))
}

async function firedUnder(profile: ProfileName, room: Room, { event, facts }: Proof) {
  const seenFile = join(room.home, '.cursor', 'seen.json')
  rmSync(seenFile, { force: true })
  const hooks = await openHooks({
    workspaceRoots: [room.root],
    home: room.home,
    enterpriseDir: room.enterprise,
    profile,
    trustAll: true,
    watch: false,
    evaluatePrompt: async () => ({ ok: false, reason: 'no' }),
  })
  try {
    const verdict = await hooks.fire(event, { ...EVENTS[event].sample, ...facts } as never)
    const stdin = existsSync(seenFile) ? JSON.parse(readFileSync(seenFile, 'utf8')) : {}
    return { verdict, stdin: stdin as Record<string, unknown> }
  } finally {
    hooks.close()
  }
}

describe('compat', () => {
  it.each(PROOFS.map(proof => [`${proof.kind}: ${proof.what}`, proof] as const))('%s', async (_, proof) => {
    const room = furnish(proof)
    const found = await findingsOf(room, proof)
    const said: Record<string, boolean> = {}
    const shown: Record<string, boolean> = {}
    for (const profile of IN_ORDER) {
      const { verdict, stdin } = await firedUnder(profile, room, proof)
      const isThere = verdict.runs.length > 0 || !verdict.skipped.some(one => one.reason === 'not-in-version')
      const counts = isThere || proof.kind === 'event' || proof.kind === 'prompt-hook'
      if (!counts || proof.except?.includes(profile)) continue
      said[profile] = found.includes(profile)
      shown[profile] = proof.seen(verdict, stdin) !== proof.wanted
    }
    expect(said).toEqual(shown)
    expect(Object.values(shown).includes(true)).toBe(!proof.nowhere)
  })

  it('is proven for each kind of finding, in a version where it holds', () => {
    expect(KINDS.filter(kind => !PROOFS.some(proof => proof.kind === kind))).toEqual([])
  })
})
