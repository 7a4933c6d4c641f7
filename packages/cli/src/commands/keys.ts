// holdfast keys: the team's keys. Creating, signing and combining need no network; root keys are never on the server.

import { flag, type Given, list, value } from '../arguments.js'
import type { Argument, Command } from '../command.js'
import { createKey, readKey, readText } from '../keys/key-file.js'
import {
  combine,
  describeProposal,
  propose,
  readProposal,
  signProposal,
  writeProposal,
} from '../keys/proposal.js'
import { OUTPUT } from '../option-sections.js'
import { print, printJson, screen as screenOf } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { callerOf } from '../team/call.js'
import { openTeamDoor } from '../team/door.js'
import { UsageError } from '../usage-error.js'

const YES_NO = { values: ['yes', 'no'], noun: 'answer' } as const
const SERVER = value(
  'URL',
  'address of the team server; calls need a token in HOLDFAST_TOKEN, which you create in the dashboard',
  {
    defaultText: 'HOLDFAST_SERVER',
  },
)
const KEY = value('FILE', 'file of the key')
const exitCodes = { 0: 'done', 1: 'not done' }
const fileArgument = (summary: string): Argument => ({ name: 'file', summary })
const optionalFile = (summary: string): Argument => ({ ...fileArgument(summary), isOptional: true })

export const command: Command = {
  name: 'keys',
  summary: 'Create, show, verify and change the signing keys of a team',
  description:
    'The team server never has a root key. Each change of the keys must be signed by enough root keys. create, sign FILE, combine and show FILE need no network.',
  subcommands: [
    {
      name: 'show',
      summary: 'List the keys of the team, or show a key or proposal in a file',
      arguments: [optionalFile('a key or a proposal')],
      options: [{ options: { server: SERVER } }, OUTPUT],
      exitCodes,
      examples: ['holdfast keys show keys.json'],
      run: given =>
        given.positionals[0] === undefined ? showTeam(given) : showFile(given, given.positionals[0]),
    },
    {
      name: 'create',
      summary: 'Create a key and print its public half',
      arguments: [fileArgument('the new file')],
      options: [OUTPUT],
      exitCodes,
      examples: ['holdfast keys create root-1.key'],
      run: given => create(given, fileIn('create', given, 'root-1.key')),
    },
    {
      name: 'verify',
      summary: 'Verify that a key belongs to the team',
      options: [{ options: { key: KEY, server: SERVER } }, OUTPUT],
      exitCodes: { 0: 'it is a key of the team', 1: 'it is not' },
      examples: ['holdfast keys verify --key root-1.key --server https://hooks.example.com'],
      run: verify,
    },
    {
      name: 'sign',
      summary: 'Sign a proposal with a root key, or the next release with a release key',
      arguments: [optionalFile('a proposal; without it, a release is signed')],
      options: [
        {
          options: {
            key: KEY,
            release: value('N', 'the release', { defaultText: 'the one that waits for a signature' }),
            server: SERVER,
          },
        },
        OUTPUT,
      ],
      exitCodes,
      examples: [
        'holdfast keys sign keys.json --key root-1.key',
        'HOLDFAST_TOKEN=hfp_… holdfast keys sign --server https://hooks.example.com --key release.key',
      ],
      run: given =>
        given.positionals[0] === undefined ? signRelease(given) : signFile(given, given.positionals[0]),
    },
    {
      name: 'propose',
      summary: "Write a proposed change of the team's keys to a file",
      arguments: [fileArgument('the new file')],
      options: [
        {
          options: {
            server: SERVER,
            fingerprint: value('DIGITS', 'fingerprint of the team, as shown at the first start'),
            'release-key': value(
              'HEX|server',
              'new release key: its public half, or "server" for a key on the server',
            ),
            'new-lease-key': flag('replace the lease key of the server'),
            'root-key': list('HEX', 'public half of a root key; give all root keys'),
            'root-threshold': value('N', 'number of root keys that must sign'),
            kill: value('yes|no', 'whether the server may use the kill switch', YES_NO),
            'kill-satisfies-required': value(
              'yes|no',
              'whether killed hooks satisfy an agent that requires the team',
              YES_NO,
            ),
            'new-epoch': flag('invalidate the release numbers that a stolen release key can have used'),
          },
        },
        OUTPUT,
      ],
      exitCodes,
      examples: ['holdfast keys propose keys.json --release-key server --server https://hooks.example.com'],
      run: given => proposeTo(given, fileIn('propose', given, 'keys.json')),
    },
    {
      name: 'combine',
      summary: 'Add the signatures of other files to the first file',
      arguments: [{ name: 'file', summary: 'copies of one proposal', isRepeatable: true }],
      options: [OUTPUT],
      exitCodes,
      examples: ['holdfast keys combine keys.json keys-2.json'],
      run: given => combineFiles(given, given.positionals),
    },
    {
      name: 'submit',
      summary: 'Activate a signed proposal',
      arguments: [fileArgument('the proposal')],
      options: [{ options: { server: SERVER } }, OUTPUT],
      exitCodes,
      examples: ['holdfast keys submit keys.json --server https://hooks.example.com'],
      run: given => submit(given, fileIn('submit', given, 'keys.json')),
    },
  ],
  defaultSubcommand: 'show',
  exitCodes,
  examples: [
    'holdfast keys create root-1.key',
    'HOLDFAST_TOKEN=hfp_… holdfast keys sign --server https://hooks.example.com --key release.key',
  ],
}

function fileIn(word: string, { positionals: [file] }: Given, example: string): string {
  if (file !== undefined) return file
  throw new UsageError(`keys ${word} needs a file: holdfast keys ${word} ${example}`)
}

/** A key of the user: a file with its words. */
function keyOf(given: Given) {
  const file = given.value('key')
  if (file === undefined) throw new UsageError('Give the file of the key with --key FILE')
  return readKey(file)
}

async function create(given: Given, file: string): Promise<number> {
  const { id, publicKey } = await createKey(file)
  if (given.has('json')) printJson({ file, public_key: publicKey, id })
  else
    print(
      `\n  The key ${id} is in ${visible(file)}. Store it where nobody else can read it.\n  Its public half, for the server:\n\n    ${publicKey}\n\n`,
    )
  return 0
}

async function verify(given: Given): Promise<number> {
  const { KeysService } = await openTeamDoor()
  const { id } = await keyOf(given)
  const { keys } = await (await callerOf(given))(KeysService).getTrust({})
  const found = keys.find(key => key.id === id && !key.retired)
  if (!found) throw new UsageError(`The key ${id} is not, or no longer, a key of this team.`)
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
  const { KeysService, formatFingerprint } = await openTeamDoor()
  const { fingerprint, keys, chain } = await (await callerOf(given))(KeysService).getTrust({})
  const { dim, bold } = screenOf(given.color, process.cwd())
  if (given.has('json')) {
    printJson({ fingerprint, version: chain.length, keys: keys.map(({ $typeName: _, ...key }) => key) })
    return 0
  }
  const version = chain.length === 0 ? 'not signed by the root keys yet' : `version ${chain.length}`
  print(`\n  fingerprint  ${bold(formatFingerprint(fingerprint))}\n  keys         ${version}\n\n`)
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
    throw new UsageError('keys combine needs two files or more: holdfast keys combine keys.json other.json')
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
  else print(`\n  Version ${version} of the keys is valid now. Devices receive it with their next sync.\n\n`)
  return 0
}

async function signRelease(given: Given): Promise<number> {
  const { RolloutService, signPayload } = await openTeamDoor()
  const rollout = (await callerOf(given))(RolloutService)
  const wanted = given.value('release')
  const number = wanted === undefined ? await waiting() : Number(wanted)
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`--release is "${wanted}"; expected a number.`)
  const { release, seal } = await rollout.getRelease({ number })
  if (!seal) throw new UsageError(`Release ${number} has nothing to sign.`)
  const made = signPayload('release', seal.payload, (await keyOf(given)).privateKey)
  await rollout.sign({ number, signature: { keyId: made.keyId, value: made.value } })
  if (given.has('json')) printJson({ release: number, key: made.keyId })
  else {
    const changes = release!.hooks.filter(({ change }) => change !== 'same')
    print(`\n  Release ${number} is signed and is being delivered.\n`)
    for (const { name, change, hookStep } of changes)
      print(`    ${change.padEnd(8)} ${visible(name)}  ${hookStep}\n`)
    print('\n')
  }
  return 0

  async function waiting(): Promise<number> {
    const { releases } = await rollout.listReleases({ pageSize: 20 })
    const found = releases.find(({ state }) => state === 'unsigned')
    if (!found) throw new UsageError('No release waits for a signature.')
    return found.number
  }
}
