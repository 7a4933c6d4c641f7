// holdfast keys: the team's keys, for whoever keeps them away from the server.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { print, printJson, screen as screenOf } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { callerOf } from '../team/call.js'
import { openTeamDoor } from '../team/door.js'
import { fromWords, words } from '../team/words.js'

const WORDS = ['show', 'new', 'sign', 'rotate'] as const
const OPTIONS = {
  ...OUTPUT,
  server: 'value',
  key: 'value',
  release: 'value',
  use: 'value',
  public: 'value',
  'new-epoch': 'flag',
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('keys', argv, OPTIONS)
  if (given.has('help')) return showHelp('keys')
  const word = known('keys command', given.positionals[0] ?? 'show', WORDS)
  noMore('keys', given.positionals, word === 'new' ? 2 : 1)
  if (word === 'new') return make(given)
  return { show, sign, rotate }[word](given)
}

async function make(given: Given): Promise<number> {
  const [, file] = given.positionals
  if (file === undefined)
    throw new Complaint('keys new needs a file to write the key to: holdfast keys new release.key')
  const { generateKeys, keyIdOf } = await openTeamDoor()
  const { publicKey, privateKey } = generateKeys()
  try {
    writeFileSync(file, `${words(privateKey)}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new Complaint(`The key cannot be written to ${file}: ${writingProblem(error, file)}.`)
  }
  const hex = Buffer.from(publicKey).toString('hex')
  if (given.has('json')) printJson({ file, public_key: hex, id: keyIdOf(publicKey) })
  else
    print(
      `\n  The key is in ${visible(file)}; nobody else may have it.\n  Its public half, for the server:\n\n    ${hex}\n\n`,
    )
  return 0
}

function writingProblem(error: unknown, file: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return 'it is there already, and no key is ever written over. Give another name'
  return code === 'ENOENT' ? `the folder ${dirname(file)} does not exist` : message
}

/** A key of our own: a file, or words from paper. */
function privateKey(given: Given): Uint8Array {
  const place = given.value('key')
  if (place === undefined) throw new Complaint('Say where the key is: --key FILE')
  try {
    return fromWords(readFileSync(place, 'utf8'))
  } catch (error) {
    if (error instanceof Complaint) throw new Complaint(`${place} holds no key: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : message
    throw new Complaint(`The key ${place} cannot be read: ${why}.`)
  }
}

/** The keys that make keys first, and what is over last. */
const RANKS = ['root', 'recovery', 'release', 'lease']
const byRank = (a: Key, b: Key): number =>
  Number(a.retired) - Number(b.retired) || RANKS.indexOf(a.use) - RANKS.indexOf(b.use)
type Key = { readonly use: string; readonly retired: boolean }

async function show(given: Given): Promise<number> {
  const { KeysService, sayFingerprint } = await openTeamDoor()
  const { fingerprint, keys, chain } = await (await callerOf(given))(KeysService).getTrust({})
  const { dim, bold } = screenOf(given.color, process.cwd())
  if (given.has('json'))
    printJson({ fingerprint, version: chain.length, keys: keys.map(({ $typeName: _, ...key }) => key) })
  else {
    print(`\n  fingerprint  ${bold(sayFingerprint(fingerprint))}\n  trust        version ${chain.length}\n\n`)
    for (const { id, use, kept, retired } of keys.toSorted(byRank)) {
      const line = `  ${use.padEnd(9)} ${id}  ${retired ? 'retired' : kept === 'server' ? 'on the server' : 'kept elsewhere'}`
      print(`${retired ? dim(line) : line}\n`)
    }
    print('\n')
  }
  return 0
}

async function sign(given: Given): Promise<number> {
  const { RolloutService, signPayload } = await openTeamDoor()
  const rollout = (await callerOf(given))(RolloutService)
  const wanted = given.value('release')
  const number = wanted === undefined ? await waiting() : Number(wanted)
  if (!Number.isInteger(number) || number < 1)
    throw new Complaint(`--release is "${wanted}"; expected a number.`)
  const { release, seal } = await rollout.getRelease({ number })
  if (!seal) throw new Complaint(`Release ${number} has nothing to sign.`)
  const made = signPayload('release', seal.payload, privateKey(given))
  await rollout.sign({ number, signature: { keyId: made.keyId, value: made.value } })
  if (given.has('json')) printJson({ release: number, key: made.keyId })
  else {
    const changes = release!.hooks.filter(({ change }) => change !== 'same')
    print(`\n  Release ${number} is signed and on its way.\n`)
    for (const { name, change, hookStep } of changes)
      print(`    ${change.padEnd(8)} ${visible(name)}  ${hookStep}\n`)
    print('\n')
  }
  return 0

  async function waiting(): Promise<number> {
    const { releases } = await rollout.listReleases({ pageSize: 20 })
    const found = releases.find(({ state }) => state === 'unsigned')
    if (!found) throw new Complaint('No release waits for a signature.')
    return found.number
  }
}

async function rotate(given: Given): Promise<number> {
  const { KeysService, signPayload } = await openTeamDoor()
  const keys = (await callerOf(given))(KeysService)
  const use = known('use of a key', given.value('use') ?? 'release', ['release', 'lease', 'root'])
  const hex = given.value('public')
  if (hex !== undefined && !/^[0-9a-f]{64}$/i.test(hex)) {
    throw new Complaint('--public is not 64 hex digits. Make a key with: holdfast keys new FILE')
  }
  const publicKey = hex === undefined ? new Uint8Array() : new Uint8Array(Buffer.from(hex, 'hex'))
  const { version, unsigned } = await keys.rotateKeys({ use, publicKey, newEpoch: given.has('new-epoch') })
  if (unsigned) {
    // The server has no root key, or not the next one: ours signs, the recovery key for one.
    const made = signPayload('trust', unsigned.payload, privateKey(given))
    const signatures = [...unsigned.signatures, { keyId: made.keyId, value: made.value }]
    await keys.submitTrust({ trust: { type: 'trust', payload: unsigned.payload, signatures } })
  }
  if (given.has('json')) printJson({ version })
  else print(`\n  Trust version ${version} counts now. Devices take it with their next sync.\n\n`)
  return 0
}
