// A proposal is built from keys that were verified, whatever the server answers, and signed as it is.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Envelope,
  fingerprintOf,
  generateKeys,
  readTrust,
  signEnvelope,
  type TrustPayload,
  verifyTrustChain,
  writeTrust,
} from '@holdfast/team'
import type { Caller } from '@holdfast/team/caller'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { optionsOf } from '../command.js'
import { command } from '../commands/keys.js'
import { handOver } from '../model.js'
import { createKey, readKey } from './key-file.js'
import { combine, describeProposal, propose, readProposal, signProposal, writeProposal } from './proposal.js'

handOver((name: string) => import(name) as never)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
type Keys = ReturnType<typeof generateKeys>
const [root, other, release, lease, mine] = [1, 2, 3, 4, 5].map(generateKeys) as [
  Keys,
  Keys,
  Keys,
  Keys,
  Keys,
]
const first: TrustPayload = {
  team_id: 'acme',
  version: 1,
  epoch: 0,
  roots: [hex(root.publicKey), hex(other.publicKey)],
  release_keys: [hex(release.publicKey)],
  lease_keys: [hex(lease.publicKey)],
  kill_by_server: false,
  issued_at: '2030-01-01T00:00:00.000Z',
}
const signed = (trust: TrustPayload, ...keys: Keys[]): Envelope =>
  signEnvelope('trust', writeTrust(trust), ...keys.map(({ privateKey }) => privateKey))
const chain = [signed(first, root)]
const fingerprint = fingerprintOf(chain[0]!)
const server = (answer: object): Caller =>
  (() => ({ getTrust: async () => answer, prepareKey: async () => ({ publicKey: mine.publicKey }) })) as never
const given = (...argv: string[]) =>
  parse('keys propose', argv, optionsOf(command.subcommands!.find(({ name }) => name === 'propose')!))

let folder: string
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a proposal', () => {
  it('continues the keys of the team, and changes what was asked for only', async () => {
    const made = await propose(
      given('--fingerprint', fingerprint, '--release-key', 'server', '--new-epoch', '--kill', 'yes'),
      server({ chain }),
    )
    expect(made.signatures).toEqual([])
    const next = readTrust(made) as TrustPayload
    expect(next).toEqual({
      ...first,
      version: 2,
      epoch: 1,
      release_keys: [hex(mine.publicKey)],
      kill_by_server: true,
      issued_at: next.issued_at,
    })
    const { refusal } = verifyTrustChain(first, fingerprint, [
      { ...made, signatures: signed(next, other).signatures },
    ])
    expect(refusal).toBeUndefined()
  })

  it('is not built from keys that a hostile server made up', async () => {
    const forged = signed({ ...first, version: 2, release_keys: [hex(mine.publicKey)] }, mine)
    const own = { ...first, roots: [hex(mine.publicKey)] }
    for (const answer of [
      [chain[0]!, forged],
      [chain[0]!, { ...forged, signatures: chain[0]!.signatures }],
      [signed(own, mine)],
      [],
    ]) {
      await expect(propose(given('--fingerprint', fingerprint), server({ chain: answer }))).rejects.toThrow(
        /do not verify|another team|no keys yet/,
      )
    }
  })

  it('needs at least the 24 digits that people write down', async () => {
    const digits = fingerprint.slice(0, 24)
    for (const text of [digits, digits.toUpperCase(), digits.match(/.{4}/g)!.join(' ')])
      await expect(propose(given('--fingerprint', text), server({ chain }))).resolves.toMatchObject({
        type: 'trust',
      })
    for (const text of ['', digits.slice(1), `${digits}xyz`, '0'.repeat(24)])
      await expect(propose(given('--fingerprint', text), server({ chain }))).rejects.toThrow(/fingerprint/)
  })

  it('of a new team is the one that the server made, without its signatures', async () => {
    const made = await propose(given(), server({ chain: [], unsigned: chain[0] }))
    expect(made).toEqual({ ...chain[0], signatures: [] })
  })
})

describe('a file', () => {
  const proposed = async (name: string, change: Partial<TrustPayload> = {}) => {
    await writeProposal(at(name), signed({ ...first, version: 2, ...change }), true)
    return at(name)
  }

  it('takes the signature of each key once, and combines with others of the same bytes', async () => {
    const [one, two] = [await createKey(at('one.key')), await createKey(at('two.key'))]
    const roots = [one.publicKey, two.publicKey]
    const [a, b] = [await proposed('a.json', { roots }), await proposed('b.json', { roots })]
    for (const key of [one, one])
      await writeProposal(a, await signProposal((await readProposal(a)).sealed, key), false)
    await writeProposal(b, await signProposal((await readProposal(b)).sealed, two), false)
    const both = await combine([a, b, a])
    expect(both.signatures.map(({ keyId }) => keyId)).toEqual([one.id, two.id])
    const said = await describeProposal({ sealed: both, trust: readTrust(both) as TrustPayload })
    expect(said.filter(([name]) => name === 'root').map(([, value]) => value)).toEqual([
      `${one.id}  signed`,
      `${two.id}  signed`,
    ])
    await expect(combine([a, await proposed('c.json', { epoch: 1 })])).rejects.toThrow(
      /differs from the proposal/,
    )
  })

  it('that is no proposal is refused with its name', async () => {
    const written = (name: string, text: string | Buffer) => {
      writeFileSync(at(name), text)
      return at(name)
    }
    const good = readFileSync(await proposed('good.json'), 'utf8')
    mkdirSync(at('folder'))
    for (const file of [
      at('missing'),
      at('folder'),
      written('empty', ''),
      written('garbage', Buffer.from([0xff, 0xfe, 0, 1])),
      written('huge', 'x'.repeat(1_000_000)),
      written('deep', '['.repeat(100_000)),
      written('release', good.replace('"trust"', '"release"')),
      written('more', good.replace('{', '{ "more": 1,')),
      written(
        'weak',
        JSON.stringify({ type: 'trust', payload: Buffer.from('{}').toString('base64'), signatures: [] }),
      ),
    ]) {
      await expect(readProposal(file), file).rejects.toThrow(file)
    }
  })

  it('of a key is never overwritten, and is readable by its owner only', async () => {
    const { publicKey } = await createKey(at('a.key'))
    await expect(createKey(at('a.key'))).rejects.toThrow(/not overwritten/)
    expect(await readKey(at('a.key'))).toMatchObject({ publicKey })
    for (const text of ['', 'nonsense!', 'a'.repeat(100_000)]) {
      writeFileSync(at('bad.key'), text)
      await expect(readKey(at('bad.key'))).rejects.toThrow(/bad\.key contains no key/)
    }
  })
})
