// Without a network: the sets in the store decide which hooks a device goes back to, and only signed ones count.

import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256, writeEnvelope } from '../index.js'
import { commandHook } from '../signing/testing/team.js'
import { openDisk } from './disk.js'
import { type State, saveState } from './state.js'
import { cleanUp, freshDevice, publish, scriptOf, type TestDevice } from './testing/device.js'

cleanUp()

const stateOf = ({ place }: TestDevice): State => JSON.parse(readFileSync(place.state, 'utf8'))
const linkOf = ({ place }: TestDevice): string => readlinkSync(place.hooks)
const storeOf = ({ place }: TestDevice): string[] => readdirSync(place.store).sort()
const setCurrent = (device: TestDevice, current: string) => {
  const disk = openDisk({ ...device.around, random: device.around.unique })
  saveState(device.place, disk, { ...stateOf(device), current })
}

/** The sync that a device makes without a network. */
async function offline(device: TestDevice) {
  await device.server.close()
  const result = await device.sync()
  expect(result).toMatchObject({ kind: 'failed', problem: { code: 'offline' } })
  return result
}

describe('a crash between the state and the link', () => {
  it('leaves a state that names the new set, which the next sync switches to without a warning', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    const before = linkOf(device)
    publish(device.server, 2)
    let isDown = false
    const onStep = (step: string) => {
      isDown ||= step === `link ${device.place.hooks}`
      if (isDown) throw new Error('EIO')
    }
    expect(await device.sync({ onStep })).toMatchObject({ kind: 'failed', inForce: { release: 1 } })
    expect(isDown).toBe(true)
    expect(linkOf(device)).toBe(before)
    expect(stateOf(device)).toMatchObject({ current: expect.stringMatching(/^2-/), mark: { release: 2 } })
    expect(await offline(device)).toMatchObject({ inForce: { release: 2 }, warnings: [] })
    expect(linkOf(device)).toMatch(/^store\/2-/)
  })
})

describe('a set called killed', () => {
  it.each(['hold', 'take'] as const)(
    'with a signed lease that orders to %s is not switched to',
    async order => {
      const device = await freshDevice()
      const release = publish(device.server, 1)
      await device.sync()
      const { device_id } = JSON.parse(readFileSync(device.place.enrolment, 'utf8'))
      const folder = join(device.place.store, 'killed-0000000000000000')
      cpSync(join(device.place.store, stateOf(device).current), folder, { recursive: true })
      const lease = device.server.team.lease(release, { device_id, order })
      rmSync(join(folder, 'lease.json'))
      writeFileSync(join(folder, 'lease.json'), JSON.stringify(writeEnvelope(lease)))
      setCurrent(device, 'killed-0000000000000000')
      unlinkSync(device.place.hooks)
      expect(await offline(device)).toMatchObject({ inForce: { release: 1, killed: false } })
      expect(linkOf(device)).toMatch(/^store\/1-/)
      expect((await device.engine()).events).toHaveLength(1)
    },
  )

  it('is never the one to go back to after its order is over', async () => {
    const device = await freshDevice()
    const one = publish(device.server, 1)
    await device.sync()
    const two = publish(device.server, 2, { may_revert_to: [sha256(one.payload)] })
    await device.sync()
    device.server.offer = { lease: { order: 'kill' } }
    expect(await device.sync()).toMatchObject({ inForce: { killed: true } })
    device.server.offer = { release: two }
    expect(await device.sync()).toMatchObject({ inForce: { release: 2, killed: false } })
    // The killed set still holds the signed release 2; the set of release 2 itself is lost, and an older one is there.
    rmSync(join(device.place.store, stateOf(device).current), { recursive: true })
    expect(storeOf(device)).toEqual([expect.stringMatching(/^killed-/)])
    rmSync(device.place.state)
    unlinkSync(device.place.hooks)
    expect(await offline(device)).toMatchObject({ inForce: undefined })
    expect(existsSync(device.place.hooks)).toBe(false)
  })

  it('is written again when its manifest was changed', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    device.server.offer = { lease: { order: 'kill' } }
    await device.sync()
    const manifest = join(device.place.hooks, 'manifest.json')
    const before = readFileSync(manifest, 'utf8')
    rmSync(manifest)
    writeFileSync(manifest, '{"hooks":[]}')
    expect(await offline(device)).toMatchObject({
      inForce: { killed: true },
      warnings: [{ code: 'tampered' }],
    })
    expect(readFileSync(manifest, 'utf8')).toBe(before)
  })
})

describe('a lost state', () => {
  /** The sets of these releases in the store; the state and the link are lost. */
  async function lost(...releases: { epoch?: number; release: number }[]): Promise<TestDevice> {
    const device = await freshDevice()
    const { server } = device
    server.team.chain.push(server.team.next({ epoch: 1 }))
    for (const { release, ...change } of releases) {
      publish(server, release, change)
      expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release } })
    }
    rmSync(device.place.state)
    unlinkSync(device.place.hooks)
    return device
  }

  it('goes back to the highest release', async () => {
    const device = await lost({ release: 1 }, { release: 2 })
    expect(await offline(device)).toMatchObject({ inForce: { release: 2 } })
    expect(stateOf(device).current).toBe(linkOf(device).slice('store/'.length))
  })

  it('goes back to the highest epoch, whatever the number of the release', async () => {
    const device = await lost({ release: 9 }, { epoch: 1, release: 2 })
    expect(await offline(device)).toMatchObject({ inForce: { release: 2 } })
  })

  it('goes back to the intact one of two copies', async () => {
    const device = await lost({ release: 1 }, { release: 2 })
    const [name = ''] = storeOf(device).filter(each => each.startsWith('2-'))
    for (const copy of [`${name}-0`, `${name}-2`]) {
      cpSync(join(device.place.store, name), join(device.place.store, copy), { recursive: true })
      rmSync(join(device.place.store, copy, 'manifest.json'))
    }
    const result = await offline(device)
    expect(result).toMatchObject({ inForce: { release: 2 } })
    expect(linkOf(device)).toBe(`store/${name}`)
  })

  it('never goes back to an unfinished set', async () => {
    const device = await lost({ release: 1 })
    const [name = ''] = storeOf(device)
    renameSync(join(device.place.store, name), join(device.place.store, '.new-1'))
    expect(await offline(device)).toMatchObject({ inForce: undefined })
    expect(existsSync(device.place.hooks)).toBe(false)
    expect(() => readlinkSync(device.place.hooks)).toThrow('ENOENT')
  })
})

it('the set of the highest release stays in the store while an older one, or none, is active', async () => {
  const device = await freshDevice()
  const one = publish(device.server, 1)
  await device.sync()
  publish(device.server, 2, { may_revert_to: [sha256(one.payload)] })
  await device.sync()
  device.server.offer = { release: one, lease: { order: 'revert' } }
  expect(await device.sync()).toMatchObject({ inForce: { release: 1 } })
  device.server.offer = { lease: { order: 'kill' } }
  expect(await device.sync()).toMatchObject({ inForce: { killed: true } })
  expect(storeOf(device)).toEqual([/^1-/, /^2-/, /^killed-/].map(name => expect.stringMatching(name)))
  // What release 1 allows to go back to still counts.
  expect(readdirSync(device.place.hooks).sort()).toEqual(['lease.json', 'manifest.json', 'release.json'])
  // With the state lost, the store alone still shows that release 2 was there.
  rmSync(device.place.state)
  publish(device.server, 1, { records: 'all' })
  expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'downgrade' } })
})

describe('a damaged set', () => {
  /** Two hooks, of which the second is for another system and has no script here. */
  async function damaged(damage: (folder: string) => void): Promise<TestDevice> {
    const device = await freshDevice({ platform: 'linux' })
    const hooks = [
      commandHook({}, scriptOf('here')),
      commandHook({ id: 2, script_name: 'w.cmd', operating_systems: ['Windows'] }, 'elsewhere'),
    ]
    const release = publish(device.server, 1, { hooks })
    device.server.offer = { release, scripts: [scriptOf('here')] }
    await device.sync()
    damage(join(device.place.store, stateOf(device).current))
    return device
  }

  it('is written again, without the scripts of other systems', async () => {
    const device = await damaged(folder => rmSync(join(folder, 'manifest.json')))
    expect(await offline(device)).toMatchObject({ inForce: { release: 1 }, warnings: [{ code: 'tampered' }] })
    expect((await device.engine()).events).toHaveLength(1)
    expect(readFileSync(join(device.place.hooks, 'guard.sh'), 'utf8')).toBe(scriptOf('here'))
  })

  it.each([
    ['changed', (file: string) => writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o500 })],
    ['missing', () => {}],
  ])('whose script is %s is not written again from other bytes', async (_, put) => {
    const device = await damaged(folder => {
      rmSync(join(folder, 'guard.sh'))
      put(join(folder, 'guard.sh'))
    })
    const stored = storeOf(device)
    expect(await offline(device)).toMatchObject({ inForce: undefined })
    expect(storeOf(device)).toEqual(stored)
  })
})
