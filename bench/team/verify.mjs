// The time to verify a managed folder with ten scripts when the engine reloads it, beyond reading and hashing them.

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interleave, report } from '../measure.mjs'
import { load } from '../sources.mjs'

const SCRIPTS = 10
const ROUNDS = 200

export async function measure() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-bench-')))
  try {
    const { place, folder, names, verifyTeam } = await setUp(home)
    const verify = async () => {
      const { kind, reason } = await verifyTeam(place, folder, 'linux')
      if (kind !== 'verified') throw new Error(`The folder is ${kind}: ${reason}`)
    }
    const hash = () => {
      for (const name of names)
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')
    }
    const times = await interleave({ verify, hash }, ROUNDS)
    const detail = `${times.verify.toFixed(2)} ms, of which reading and hashing ${times.hash.toFixed(2)} ms`
    report('verification of ten scripts beyond hashing', times.verify - times.hash, 1, 'ms', detail)
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function setUp(home) {
  const { testTeam, commandHook, DEVICE, placeOf, verifyTeam, jsonBytes, writeEnvelope, setFiles } =
    await load(
      'packages/team/src/signing/testing/team.ts',
      'packages/hooks/src/team/index.ts',
      'packages/team/src/device/set.ts',
    )
  const team = testTeam()
  const place = placeOf(home, 'acme')
  const scripts = new Map()
  const hooks = Array.from({ length: SCRIPTS }, (_, index) => {
    const script = `#!/bin/sh\n# ${index} ${'x'.repeat(4000)}\necho '{}'\n`
    const hook = commandHook({ id: index + 1, script_name: `s${index}.sh` }, script)
    scripts.set(hook.script_name, Buffer.from(script))
    return hook
  })
  const release = team.release({ hooks })
  const folder = join(place.store, '1-0')
  for (const path of [folder, place.trust, place.queue]) mkdirSync(path, { recursive: true })
  const payload = JSON.parse(Buffer.from(release.payload).toString())
  const seals = { release, lease: team.lease(release) }
  for (const { name, bytes, mode } of setFiles(payload, 'Linux', scripts, seals))
    writeFileSync(join(folder, name), bytes, { mode })
  const time = '2030-01-01T00:00:00.000Z'
  const enrolment = {
    server: 'http://127.0.0.1',
    team_id: 'acme',
    team_name: 'acme',
    device_id: DEVICE,
    token: 'x',
    token_from: time,
    token_until: time,
    fingerprint: team.fingerprint,
    group: '',
    enrolled_at: time,
  }
  writeFileSync(place.enrolment, jsonBytes(enrolment))
  writeFileSync(join(place.trust, '1.json'), jsonBytes(writeEnvelope(team.chain[0])))
  writeFileSync(place.state, jsonBytes({ current: '1-0', previous: '', mark: { trust_version: 1 } }))
  symlinkSync('store/1-0', place.hooks)
  return { place, folder, names: [...scripts.keys()], verifyTeam }
}
