// What a device pins: every digit of the fingerprint in its enrolment key, and every trust version that it has seen.

import { expect, it } from 'vitest'
import { NOW } from '../signing/testing/team.js'
import { aroundOf, enrol, enrolledTeams, readStatus } from './index.js'
import { cleanUp, freshDevice, freshFolder, freshServer } from './testing/device.js'

cleanUp()

it('a key with another digit at any place of its fingerprint is for another team', async () => {
  const server = await freshServer()
  const home = freshFolder()
  const around = aroundOf({ clientVersion: '1.2.3', home, now: () => NOW, patienceMs: 60_000 })
  const { fingerprint } = server.team
  const use = (pin: string) => {
    const enrolmentKey = `hfe_1_secret_${pin}`
    // The server takes it, as one of an attacker would.
    Object.assign(server, { enrolmentKey })
    return enrol(around, { server: server.url, proof: { enrolmentKey } })
  }
  for (const at of [0, 8, 23, 24, 63]) {
    const other = fingerprint[at] === '0' ? '1' : '0'
    const wrong = fingerprint.slice(0, at) + other + fingerprint.slice(at + 1)
    expect(await use(wrong), `digit ${at}`).toMatchObject({ ok: false, problem: { code: 'trust' } })
  }
  expect(enrolledTeams(home)).toEqual([])
  expect(await use(fingerprint)).toMatchObject({ ok: true })
})

it('a trust version that was verified counts, also when a later one is refused', async () => {
  const device = await freshDevice()
  const { team } = device.server
  const good = team.next({})
  const gap = team.next({ version: 4 })
  device.server.offer = { ...device.server.offer, trust: [good, gap] }
  expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'trust' } })
  expect(readStatus(device.around, 'acme')).toMatchObject({ trustVersion: 2 })
})
