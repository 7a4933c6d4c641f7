// holdfast keys: the team's keys. Creating, signing and combining need no network; root keys are never on the server.

import { Complaint } from '../complaint.js'
import { createKey, readKey, readText } from '../keys/key-file.js'
import {
  combine,
  describeProposal,
  propose,
  readProposal,
  signProposal,
  writeProposal,
} from '../keys/proposal.js'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { print, printJson, screen as screenOf } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { callerOf } from '../team/call.js'
import { openTeamDoor } from '../team/door.js'

const OPTIONS = {
  ...OUTPUT,
  server: 'value',
  key: 'value',
  release: 'value',
  fingerprint: 'value',
  'release-key': 'value',
  'new-lease-key': 'flag',
  'root-key': 'list',
  'root-threshold': 'value',
  kill: 'value',
  'kill-satisfies-required': 'value',
  'new-epoch': 'flag',
} as const

/** How many files each takes at most. */
const FILES = { show: 1, create: 1, verify: 0, propose: 1, sign: 1, combine: 17, submit: 1 } as const
type Word = keyof typeof FILES

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('keys', argv, OPTIONS)
  if (given.has('help')) return showHelp('keys')
  const [name = 'show', ...files] = given.positionals
  const word = known('keys command', name, Object.keys(FILES) as Word[])
  noMore('keys', given.positionals, 1 + FILES[word])
  switch (word) {
    case 'show':
      return files[0] === undefined ? showTeam(given) : showFile(given, files[0])
    case 'create':
      return create(given, fileIn(word, files, 'root-1.key'))
    case 'verify':
      return verify(given)
    case 'propose':
      return proposeTo(given, fileIn(word, files, 'keys.json'))
    case 'sign':
      return files[0] === undefined ? signRelease(given) : signFile(given, files[0])
    case 'combine':
      return combineFiles(given, files)
    case 'submit':
      return submit(given, fileIn(word, files, 'keys.json'))
  }
}

function fileIn(word: Word, [file]: readonly string[], example: string): string {
  if (file !== undefined) return file
  throw new Complaint(`keys ${word} needs a file: holdfast keys ${word} ${example}`)
}

/** A key of the user: a file with its words. */
function keyOf(given: Given) {
  const file = given.value('key')
  if (file === undefined) throw new Complaint('Give the file of the key: --key FILE')
  return readKey(file)
}

async function create(given: Given, file: string): Promise<number> {
  const { id, publicKey } = await createKey(file)
  if (given.has('json')) printJson({ file, public_key: publicKey, id })
  else
    print(
      `\n  The key ${id} is in ${visible(file)}. Keep it where nobody else can read it.\n  Its public half, for the server:\n\n    ${publicKey}\n\n`,
    )
  return 0
}

async function verify(given: Given): Promise<number> {
  const { KeysService } = await openTeamDoor()
  const { id } = await keyOf(given)
  const { keys } = await (await callerOf(given))(KeysService).getTrust({})
  const found = keys.find(key => key.id === id && !key.retired)
  if (!found) throw new Complaint(`The key ${id} is no key of this team, or no longer one.`)
  if (given.has('json')) printJson({ id, use: found.use })
  else print(`\n  The key ${id} is a valid ${found.use} key of this team.\n\n`)
  return 0
}

/** The keys that sign other keys first, and retired ones last. */
const RANKS = ['root', 'release', 'lease']
type Key = { readonly use: string; readonly retired: boolean }
const byRank = (a: Key, b: Key): number =>
  Number(a.retired) - Number(b.retired) || RANKS.indexOf(a.use) - RANKS.indexOf(b.use)

async function showTeam(given: Given): Promise<number> {
  const { KeysService, sayFingerprint } = await openTeamDoor()
  const { fingerprint, keys, chain } = await (await callerOf(given))(KeysService).getTrust({})
  const { dim, bold } = screenOf(given.color, process.cwd())
  if (given.has('json')) {
    printJson({ fingerprint, version: chain.length, keys: keys.map(({ $typeName: _, ...key }) => key) })
    return 0
  }
  const version = chain.length === 0 ? 'not signed by the root keys yet' : `version ${chain.length}`
  print(`\n  fingerprint  ${bold(sayFingerprint(fingerprint))}\n  keys         ${version}\n\n`)
  for (const { id, use, kept, retired } of keys.toSorted(byRank)) {
    const line = `  ${use.padEnd(9)} ${id}  ${retired ? 'retired' : kept === 'server' ? 'on the server' : 'kept elsewhere'}`
    print(`${retired ? dim(line) : line}\n`)
  }
  print('\n')
  return 0
}

async function showFile(given: Given, file: string): Promise<number> {
  if (readText(file, 'The file').trimStart().startsWith('{')) return report(given, file)
  const { id, publicKey } = await readKey(file)
  if (given.has('json')) printJson({ id, public_key: publicKey })
  else print(`\n  id      ${id}\n  public  ${publicKey}\n\n`)
  return 0
}

async function report(given: Given, file: string): Promise<number> {
  const proposal = await readProposal(file)
  const lines = await describeProposal(proposal)
  if (given.has('json'))
    printJson({ file, ...proposal.trust, signed_by: proposal.sealed.signatures.map(({ keyId }) => keyId) })
  else print(`\n${lines.map(([name, value]) => `  ${name.padEnd(12)} ${visible(value)}\n`).join('')}\n`)
  return 0
}

async function proposeTo(given: Given, file: string): Promise<number> {
  await writeProposal(file, await propose(given, await callerOf(given)), true)
  return report(given, file)
}

async function signFile(given: Given, file: string): Promise<number> {
  const { sealed } = await readProposal(file)
  await writeProposal(file, await signProposal(sealed, await keyOf(given)), false)
  return report(given, file)
}

async function combineFiles(given: Given, files: readonly string[]): Promise<number> {
  const [file, ...others] = files
  if (file === undefined || others.length === 0)
    throw new Complaint('keys combine needs two files or more: holdfast keys combine keys.json other.json')
  await writeProposal(file, await combine(files), false)
  return report(given, file)
}

async function submit(given: Given, file: string): Promise<number> {
  const { KeysService } = await openTeamDoor()
  const { sealed } = await readProposal(file)
  const { version } = await (await callerOf(given))(KeysService).submitTrust({
    trust: { ...sealed, signatures: sealed.signatures.map(one => ({ ...one })) },
  })
  if (given.has('json')) printJson({ version })
  else print(`\n  Version ${version} of the keys is valid now. Devices take it with their next sync.\n\n`)
  return 0
}

async function signRelease(given: Given): Promise<number> {
  const { RolloutService, signPayload } = await openTeamDoor()
  const rollout = (await callerOf(given))(RolloutService)
  const wanted = given.value('release')
  const number = wanted === undefined ? await waiting() : Number(wanted)
  if (!Number.isInteger(number) || number < 1)
    throw new Complaint(`--release is "${wanted}"; expected a number.`)
  const { release, seal } = await rollout.getRelease({ number })
  if (!seal) throw new Complaint(`Release ${number} has nothing to sign.`)
  const made = signPayload('release', seal.payload, (await keyOf(given)).privateKey)
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
