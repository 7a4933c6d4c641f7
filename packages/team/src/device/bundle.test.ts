// Whether a set of hooks on the disk is what was signed for this device.

import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  jsonBytes,
  keptOf,
  killedName,
  readBundle,
  readSigned,
  type Viewer,
  verifyTrustChain,
} from '@holdfast/hooks/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf, commandHook, DEVICE, keys, testTeam } from '../signing/testing/team.js'
import { killedFiles, type StoredFile, setFiles } from './set.js'

const SCRIPT = '#!/bin/sh\necho {}\n'
const team = testTeam()
const release = team.release({ hooks: [commandHook({}, SCRIPT)] })
const payload = JSON.parse(Buffer.from(release.payload).toString())
const scripts = new Map([['guard.sh', bytesOf(SCRIPT)]])
const killLease = (change = {}, ...signers: Uint8Array[]) =>
  team.lease(undefined, { order: 'kill', ...change }, ...signers)

let store: string
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'holdfast-bundle-'))
})
afterEach(() => rmSync(store, { recursive: true, force: true }))

function isWhole(
  name: string,
  files: readonly StoredFile[],
  { platform = 'linux' as NodeJS.Platform, alter = (_folder: string) => {} } = {},
): boolean {
  mkdirSync(join(store, name))
  for (const { name: file, bytes, mode } of files) {
    writeFileSync(join(store, name, file), bytes)
    chmodSync(join(store, name, file), mode)
  }
  const trust = keptOf(verifyTrustChain(undefined, team.fingerprint, team.chain))
  const viewer: Viewer = { store, trust, deviceId: DEVICE, system: 'Linux', platform }
  alter(join(store, name))
  return readBundle(name, viewer).whole
}

describe('a set of hooks', () => {
  const files = setFiles(payload, 'Linux', scripts, { release })
  const without = (name: string) => files.filter(file => file.name !== name)
  const changed = (name: string, change: Partial<StoredFile>) =>
    files.map(file => (file.name === name ? { ...file, ...change } : file))
  const signedBy = (key: Uint8Array) =>
    setFiles(payload, 'Linux', scripts, { release: team.release(payload, key) })

  it('is complete as it was stored', () => expect(isWhole('1', files)).toBe(true))

  it.each([
    ['without its script', without('guard.sh')],
    ['without its manifest', without('manifest.json')],
    ['without its release', without('release.json')],
    ['without anything', []],
    ['with another script', changed('guard.sh', { bytes: bytesOf('#!/bin/sh\n') })],
    ['with a script that cannot run', changed('guard.sh', { mode: 0o400 })],
    ['with another manifest', changed('manifest.json', { bytes: bytesOf('{"hooks":[]}') })],
    [
      'with the manifest of another system',
      setFiles({ ...payload, hooks: [] }, 'Linux', scripts, { release }),
    ],
    ['signed by another key', signedBy(keys().privateKey)],
    ['signed by the lease key', signedBy(team.leaseKey.privateKey)],
  ])('%s is not whole', (_, given) => expect(isWhole('1', given)).toBe(false))
})

describe('a manifest', () => {
  const hook = commandHook({ matcher: 'rm', timeout: 5 }, SCRIPT)
  const signed = team.release({ hooks: [hook] })
  const files = setFiles(JSON.parse(Buffer.from(signed.payload).toString()), 'Linux', scripts, {
    release: signed,
  })
  const written = JSON.parse(
    Buffer.from(files.find(({ name }) => name === 'manifest.json')!.bytes).toString(),
  )
  const isWholeWith = (manifest: object) => {
    const bytes = jsonBytes(manifest)
    return isWhole(
      '1',
      files.map(file => (file.name === 'manifest.json' ? { ...file, bytes } : file)),
    )
  }
  const [entry] = written.hooks

  it('may lack keys of a hook, as older clients leave out what they did not know', () => {
    const { matcher: _, ...older } = entry
    expect(isWholeWith({ ...written, hooks: [older] })).toBe(true)
    // The engine runs what was signed all the same.
    const trust = keptOf(verifyTrustChain(undefined, team.fingerprint, team.chain))
    const viewer: Viewer = { store, trust, deviceId: DEVICE, system: 'Linux', platform: 'linux' }
    const { manifest } = readSigned('1', viewer)
    expect('bytes' in manifest && JSON.parse(manifest.bytes.toString())).toEqual(written)
  })

  it.each([
    ['another value', { ...written, hooks: [{ ...entry, matcher: 'x' }] }],
    ['a key that was not signed', { ...written, hooks: [{ ...entry, more: 1 }] }],
    ['a hook less', { ...written, hooks: [] }],
    ['a hook more', { ...written, hooks: [entry, entry] }],
    ['no list', { ...written, hooks: { 0: entry, length: 1 } }],
    ['another head', { ...written, records: 'all' }],
    ['a head that lacks a key', { ...written, team: undefined }],
    ['nothing', {}],
  ])('with %s is not what was signed', (_, manifest) => expect(isWholeWith(manifest)).toBe(false))
})

describe('a script', () => {
  const files = setFiles(payload, 'Linux', scripts, { release })

  it('must be there also where files have no mode', () => {
    const missing = files.filter(({ name }) => name !== 'guard.sh')
    expect(isWhole('1', missing, { platform: 'win32' })).toBe(false)
  })

  it.each(['../guard.sh', '.hidden', 'lease.json'])(
    'must not be called %s, even in a signed release',
    name => {
      const signed = team.release({ hooks: [commandHook({ script_name: name }, SCRIPT)] })
      const hooks = JSON.parse(Buffer.from(signed.payload).toString())
      const alter = (folder: string) => writeFileSync(join(folder, name), SCRIPT, { mode: 0o500 })
      expect(isWhole('1', setFiles(hooks, 'Linux', new Map(), { release: signed }), { alter })).toBe(false)
    },
  )

  it('must be there only for this system', () => {
    const other = commandHook({ id: 2, script_name: 'w.cmd', operating_systems: ['Windows'] }, 'other')
    const signed = team.release({ hooks: [...payload.hooks, other] })
    const both = JSON.parse(Buffer.from(signed.payload).toString())
    expect(isWhole('1', setFiles(both, 'Linux', scripts, { release: signed }))).toBe(true)
  })

  it.each([0o400, 0o100, 0o070])('with mode %o cannot be run by its owner', mode => {
    const given = files.map(file => (file.name === 'guard.sh' ? { ...file, mode } : file))
    // A script that cannot be read is missing, except for root.
    expect(isWhole('1', given)).toBe(false)
    rmSync(join(store, '1'), { recursive: true })
    expect(isWhole('1', given, { platform: 'win32' })).toBe(mode === 0o400 || process.getuid?.() === 0)
  })

  it('must be a plain file, whatever a link leads to', () => {
    const alter = (folder: string) => {
      renameSync(join(folder, 'guard.sh'), join(store, 'elsewhere.sh'))
      symlinkSync(join(store, 'elsewhere.sh'), join(folder, 'guard.sh'))
    }
    expect(isWhole('1', files, { alter })).toBe(false)
  })
})

describe('a killed set', () => {
  const files = (lease = killLease()) => killedFiles('acme', 0, { lease })
  const name = killedName('0'.repeat(64))

  it('is complete with a lease that orders it', () => expect(isWhole(name, files())).toBe(true))

  it.each([
    ['for another device', files(killLease({ device_id: 'f'.repeat(32) }))],
    ['that orders to hold', files(killLease({ order: 'hold' }))],
    ['signed by another key', files(killLease({}, keys().privateKey))],
    ['signed by the release key', files(killLease({}, team.releaseKey.privateKey))],
    ['that is missing', killedFiles('acme', 0, {})],
    ['for another team', killedFiles('other', 0, { lease: killLease() })],
  ])('with a lease %s is not whole', (_, given) => expect(isWhole(name, given)).toBe(false))

  it.each([
    ['another manifest', (folder: string) => writeFileSync(join(folder, 'manifest.json'), '{"hooks":[]}')],
    ['no manifest', (folder: string) => rmSync(join(folder, 'manifest.json'))],
  ])('with %s is not whole', (_, change) => {
    const alter = (folder: string) => {
      chmodSync(join(folder, 'manifest.json'), 0o600)
      change(folder)
    }
    expect(isWhole(name, files(), { alter })).toBe(false)
  })

  it('behind a link is not whole', () => {
    const alter = (folder: string) => {
      renameSync(folder, join(store, 'elsewhere'))
      symlinkSync(join(store, 'elsewhere'), folder)
    }
    expect(isWhole(name, files(), { alter })).toBe(false)
  })

  it('is only called so by its name', () => expect(isWhole('1', files())).toBe(false))
})
