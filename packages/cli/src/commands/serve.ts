// holdfast serve: the team server. What people need to know goes to stdout; what it does goes to stderr, a JSON object a
// line.

import type * as Server from '@holdfast/server'
import type { ServerOptions } from '@holdfast/server'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { toCount, toHex } from '../keys/proposal.js'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson, screen as screenOf } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { databaseOf, shownDatabase } from '../team/database.js'
import { openServerDoor, openTeamDoor } from '../team/door.js'
import { words } from '../team/words.js'

const OPTIONS = {
  ...OUTPUT,
  database: 'value',
  'listen-database': 'value',
  host: 'value',
  port: 'value',
  url: 'value',
  name: 'value',
  home: 'value',
  'secret-file': 'value',
  'release-key': 'value',
  'root-key': 'list',
  'root-threshold': 'value',
  kill: 'value',
  proxies: 'value',
  'oidc-issuer': 'value',
  'oidc-client': 'value',
  'oidc-domain': 'list',
  'sign-in': 'value',
  'owner-link': 'flag',
  otlp: 'value',
  to: 'value',
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('serve', argv, OPTIONS)
  if (given.has('help')) return showHelp('serve')
  const [word] = given.positionals
  const isMove = word === 'move'
  const isBack = word === 'undo-migration'
  noMore('serve', given.positionals, isMove || isBack ? 1 : 0)
  if (isMove && given.value('to') === undefined)
    throw new Complaint('serve move needs where to: --to postgres://user@host/name')
  // Before the server is loaded, which takes a moment.
  const wished = optionsOf(given)
  const server = await openServerDoor()
  const screen = screenOf(given.color, process.cwd())
  try {
    if (isMove) return await move(given, server, wished)
    if (isBack) return await undoMigration(given, server, wished)
    const { HOLDFAST_SECRET: secret } = process.env
    const options = secret ? { ...wished, secret: server.secretOf(secret, 'HOLDFAST_SECRET') } : wished
    const running = await server.startServer(options)
    try {
      const link = given.has('owner-link') ? (await server.ownerLink(running.team)).link : running.ownerLink
      const { sayFingerprint } = await openTeamDoor()
      if (given.has('json')) {
        const { url, port, fingerprint } = running
        printJson({
          url,
          port,
          team: running.team.id,
          fingerprint,
          owner_link: link,
          root_keys: running.rootKeys.map(words),
        })
      } else {
        print(`\n  ${screen.bold(visible(running.team.name))} is at ${screen.bold(running.url)}\n`)
        print(`  fingerprint  ${sayFingerprint(running.fingerprint)}\n`)
        if (running.rootKeys.length > 0) print(rootKeysText(running.rootKeys, screen.bold))
        if (link)
          print(
            `\n  Become its owner within a day, with this link, which works once:\n  ${screen.bold(link)}\n`,
          )
        const { reason } = await running.team.sandbox()
        if (reason) print(`\n  ${reason}\n`)
        print('\n  End with Ctrl-C.\n\n')
      }
      const signal = interrupted({ isUsual: true })
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      return 0
    } finally {
      await running.close()
    }
  } catch (error) {
    throw error instanceof server.Complaint ? new Complaint(error.message) : error
  }
}

const WORDS_IN_LINE = 7

function rootKeysText(keys: readonly Uint8Array[], bold: (text: string) => string): string {
  const blocks = keys.map((key, index) => {
    const all = words(key).split(' ')
    const lines = Array.from({ length: Math.ceil(all.length / WORDS_IN_LINE) }, (_, line) =>
      all
        .slice(line * WORDS_IN_LINE, (line + 1) * WORDS_IN_LINE)
        .map(bold)
        .join(' '),
    )
    return `  Root key ${index + 1}\n${lines.map(line => `    ${line}\n`).join('')}`
  })
  return `
  The root keys change all other keys. They are shown now and never again, and the server does not store them.
  Write each one down with the fingerprint, and keep them in different places. Then verify each copy:
  holdfast keys verify --key FILE

${blocks.join('\n')}`
}

function optionsOf(given: Given): ServerOptions {
  const port = Number(given.value('port') ?? 8420)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Complaint(`--port is "${given.value('port')}"; expected a number up to 65535.`)
  }
  const proxies = Number(given.value('proxies') ?? 0)
  if (!Number.isInteger(proxies) || proxies < 0 || proxies > 10) {
    throw new Complaint(
      `--proxies is "${given.value('proxies')}"; expected how many reverse proxies stand before the server.`,
    )
  }
  const toKey = (option: string, text: string) => Buffer.from(toHex(option, text), 'hex')
  const key = given.value('release-key')
  const roots = given.list('root-key')
  const threshold = given.value('root-threshold')
  const kill = given.value('kill')
  const otlp = addressOf(given, 'otlp', 'http://127.0.0.1:4318/v1/logs')
  return {
    database: databaseOf(given),
    listenDatabase: given.value('listen-database'),
    host: given.value('host') ?? '127.0.0.1',
    port,
    url: addressOf(given, 'url', 'https://hooks.example.com'),
    name: given.value('name'),
    secretFile: given.value('secret-file'),
    proxies,
    releaseKey: key === undefined ? undefined : toKey('release-key', key),
    rootKeys: roots.length === 0 ? undefined : roots.map(root => toKey('root-key', root)),
    rootThreshold: threshold === undefined ? undefined : toCount(threshold),
    killByServer: kill === undefined ? undefined : known('answer', kill, ['yes', 'no']) === 'yes',
    oidc: oidcOf(given),
    passwords: passwordsOf(given),
    otlp: otlp === undefined ? undefined : { url: otlp },
    writeLog: printError,
  }
}

function addressOf(given: Given, option: string, example: string): string | undefined {
  const text = given.value(option)
  if (text === undefined) return undefined
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new Complaint(`--${option} is "${text}"; expected an address such as ${example}.`)
}

function passwordsOf(given: Given): boolean {
  const way = given.value('sign-in')
  if (way === undefined || way === 'password') return true
  if (way === 'oidc') return false
  throw new Complaint(`--sign-in is "${way}"; expected oidc, or password (default).`)
}

function oidcOf(given: Given): ServerOptions['oidc'] {
  const issuer = given.value('oidc-issuer')
  const clientId = given.value('oidc-client')
  if (issuer === undefined && clientId === undefined) return undefined
  const clientSecret = process.env.HOLDFAST_OIDC_SECRET
  if (issuer === undefined || clientId === undefined || !clientSecret) {
    throw new Complaint(
      'Sign-in by OIDC needs --oidc-issuer, --oidc-client, and its secret in HOLDFAST_OIDC_SECRET.',
    )
  }
  const allowedDomains = [...given.list('oidc-domain')]
  return { issuer, clientId, clientSecret, ...(allowedDomains.length > 0 ? { allowedDomains } : {}) }
}

async function move(given: Given, server: typeof Server, options: ServerOptions): Promise<number> {
  const to = given.value('to')!
  const progress = openProgress()
  const { rows } = await server
    .moveTeam({ from: options.database, to, onTable: table => progress.say(`moving ${table}`) })
    .finally(() => progress.end())
  const place = shownDatabase(to)
  if (given.has('json')) printJson({ rows, database: place })
  else {
    print(`\n  The team has moved, with ${rows} rows. Start it with --database ${place}\n`)
    print('  and with the secret that it had: the file beside the old database, or HOLDFAST_SECRET.\n\n')
  }
  return 0
}

async function undoMigration(
  given: Given,
  server: typeof Server,
  { database }: ServerOptions,
): Promise<number> {
  const undone = await server.undoMigration(database)
  const place = shownDatabase(database)
  if (given.has('json')) printJson({ undone, database: place })
  else
    print(
      `\n  Undone: ${undone}. Start the version of the server that was there before, with --database ${place}\n\n`,
    )
  return 0
}
