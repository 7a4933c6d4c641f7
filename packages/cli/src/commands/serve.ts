// holdfast serve: the team server. Messages for people go to stdout; its log goes to stderr, one JSON object per line.

import type { ServerOptions } from '@holdfast/server'
import { flag, type Given, list, value } from '../arguments.js'
import type { Command } from '../command.js'
import { interrupted } from '../interrupt.js'
import { toCount, toHex } from '../keys/proposal.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printError, printJson, screen as screenOf } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { copying, DATABASE, databaseOf, shownDatabase } from '../team/database.js'
import { openServerDoor, openTeamDoor } from '../team/door.js'
import { words } from '../team/words.js'
import { UsageError } from '../usage-error.js'

const YES_NO = { values: ['yes', 'no'], noun: 'answer' } as const

export const command: Command = {
  name: 'serve',
  summary: 'Run the team server, which distributes signed hooks to devices',
  description:
    'The first start creates the team, shows its root keys once, and prints a link that makes you its owner.',
  options: [
    {
      options: {
        database: DATABASE,
        'listen-database': value(
          'URL',
          'direct connection for notifications, if --database is behind a connection pooler',
        ),
        host: value('ADDRESS', 'address to listen on', { default: '127.0.0.1' }),
        port: value('N', 'port to listen on', { default: '8420' }),
        url: value('URL', 'public address of the server, such as https://hooks.example.com'),
        proxies: value('N', 'number of reverse proxies in front of the server', { default: '0' }),
        'secret-file': value(
          'FILE',
          'secret that encrypts its keys; servers with one database share it; also from HOLDFAST_SECRET',
          { defaultText: 'beside the database file' },
        ),
        otlp: value('URL', 'send all records there, such as http://127.0.0.1:4318/v1/logs'),
        'owner-link': flag('create a new owner sign-in link'),
        home,
      },
    },
    {
      title: 'At the first start',
      options: {
        name: value('TEXT', 'name of the team'),
        'release-key': value('HEX', 'public half of a release key that is stored elsewhere'),
        'root-key': list('HEX', 'public half of a root key that is stored elsewhere; two or more'),
        'root-threshold': value('N', 'number of root keys that must sign a change of keys', {
          defaultText: '1',
        }),
        kill: value('yes|no', 'whether the server may use the kill switch', {
          ...YES_NO,
          defaultText: 'yes, or no with --release-key',
        }),
      },
    },
    {
      title: 'Sign-in with OpenID Connect',
      options: {
        'oidc-issuer': value('URL', 'issuer'),
        'oidc-client': value('ID', 'client ID; its secret is read from HOLDFAST_OIDC_SECRET'),
        'oidc-domain': list('DOMAIN', 'only e-mail addresses of this domain'),
        'sign-in': value('METHOD', 'password, or oidc, which disables passwords', {
          values: ['password', 'oidc'],
          noun: 'sign-in method',
          default: 'password',
        }),
        'second-factor': value(
          'RULE',
          'second factor of owners and admins with a password: required or optional',
          {
            values: ['required', 'optional'],
            noun: 'rule',
            defaultText: 'required, or optional if only this machine reaches the server',
          },
        ),
      },
    },
    OUTPUT,
  ],
  subcommands: [
    {
      name: 'move',
      summary: 'Move a team from one database to another',
      options: [
        {
          options: {
            database: DATABASE,
            to: value('FILE|URL', 'the new database, which must be empty'),
            home,
          },
        },
        OUTPUT,
      ],
      exitCodes: { 0: 'moved', 1: 'not moved' },
      examples: ['holdfast serve move --database team.db --to postgres://holdfast@db/holdfast'],
      run: move,
    },
    {
      name: 'undo-migration',
      summary: 'Undo the latest migration of the tables, for the previous version of the server',
      options: [{ options: { database: DATABASE, home } }, OUTPUT],
      exitCodes: { 0: 'undone', 1: 'not undone' },
      examples: ['holdfast serve undo-migration --database team.db'],
      run: undoMigration,
    },
  ],
  exitCodes: { 0: 'stopped by a signal', 1: 'could not be started' },
  examples: [
    'holdfast serve',
    'holdfast serve --database postgres://holdfast@db/holdfast --url https://hooks.example.com --proxies 1',
    'holdfast serve move --database team.db --to postgres://holdfast@db/holdfast',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  // Checked before the server is loaded, which takes a moment.
  const wished = optionsOf(given)
  const server = await openServerDoor()
  const screen = screenOf(given.color, process.cwd())
  try {
    const { HOLDFAST_SECRET: secret } = process.env
    const options = secret ? { ...wished, secret: server.secretOf(secret, 'HOLDFAST_SECRET') } : wished
    const running = await server.startServer(options)
    try {
      const link = given.has('owner-link') ? (await server.ownerLink(running.team)).link : running.ownerLink
      const { formatFingerprint } = await openTeamDoor()
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
        print(`\n  ${screen.bold(visible(running.team.name))} runs at ${screen.bold(running.url)}\n`)
        print(`  fingerprint  ${formatFingerprint(running.fingerprint)}\n`)
        if (running.rootKeys.length > 0) print(rootKeysText(running.rootKeys, screen.bold))
        if (link)
          print(
            `\n  To become its owner, open this link within a day. It works once:\n  ${screen.bold(link)}\n`,
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
    throw error instanceof server.UsageError ? new UsageError(error.message) : error
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
  const port = Number(given.value('port'))
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port is "${given.value('port')}"; expected a number up to 65535.`)
  }
  const proxies = Number(given.value('proxies'))
  if (!Number.isInteger(proxies) || proxies < 0 || proxies > 10) {
    throw new UsageError(
      `--proxies is "${given.value('proxies')}"; expected the number of reverse proxies in front of the server.`,
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
    host: given.value('host')!,
    port,
    url: addressOf(given, 'url', 'https://hooks.example.com'),
    name: given.value('name'),
    secretFile: given.value('secret-file'),
    proxies,
    releaseKey: key === undefined ? undefined : toKey('release-key', key),
    rootKeys: roots.length === 0 ? undefined : roots.map(root => toKey('root-key', root)),
    rootThreshold: threshold === undefined ? undefined : toCount(threshold),
    killByServer: kill === undefined ? undefined : kill === 'yes',
    oidc: oidcOf(given),
    passwords: given.value('sign-in') === 'password',
    secondFactor: given.value('second-factor') as 'required' | 'optional' | undefined,
    otlp: otlp === undefined ? undefined : { url: otlp },
    writeLog: printError,
  }
}

function addressOf(given: Given, option: string, example: string): string | undefined {
  const text = given.value(option)
  if (text === undefined) return undefined
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError(`--${option} is "${text}"; expected an address such as ${example}.`)
}

function oidcOf(given: Given): ServerOptions['oidc'] {
  const issuer = given.value('oidc-issuer')
  const clientId = given.value('oidc-client')
  if (issuer === undefined && clientId === undefined) return undefined
  const clientSecret = process.env.HOLDFAST_OIDC_SECRET
  if (issuer === undefined || clientId === undefined || !clientSecret) {
    throw new UsageError(
      'Sign-in by OIDC needs --oidc-issuer, --oidc-client, and its secret in HOLDFAST_OIDC_SECRET.',
    )
  }
  const allowedDomains = [...given.list('oidc-domain')]
  return { issuer, clientId, clientSecret, ...(allowedDomains.length > 0 ? { allowedDomains } : {}) }
}

async function move(given: Given): Promise<number> {
  const to = given.value('to')
  if (to === undefined)
    throw new UsageError('serve move needs the new database: --to postgres://user@host/name')
  const from = databaseOf(given)
  const { rows } = await copying('moving', (server, onTable) => server.moveTeam({ from, to, onTable }))
  const database = shownDatabase(to)
  if (given.has('json')) printJson({ rows, database })
  else {
    print(`\n  The team has moved, with ${rows} rows. Start it with --database ${database}\n`)
    print('  and with its previous secret: the file beside the old database, or HOLDFAST_SECRET.\n\n')
  }
  return 0
}

async function undoMigration(given: Given): Promise<number> {
  const from = databaseOf(given)
  const undone = await copying('undoing', server => server.undoMigration(from))
  const database = shownDatabase(from)
  if (given.has('json')) printJson({ undone, database })
  else
    print(`\n  Undone: ${undone}. Start the previous version of the server with --database ${database}\n\n`)
  return 0
}
