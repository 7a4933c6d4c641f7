// The page of the HTTP API of the team server, from the protobuf files and the table of permissions.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Allowed, METHODS } from '../../packages/server/src/access/methods.js'
import { code, fenced, list, page, table } from './markdown.js'

const PROTO = 'packages/team/proto/holdfast/team/v1'

interface Method {
  readonly name: string
  readonly summary: string
  readonly isStream: boolean
  readonly isSafe: boolean
}

const CALLERS: Readonly<Record<Allowed, string>> = {
  anybody: 'a credential in the message',
  device: 'device',
  auditor: 'auditor',
  author: 'author',
  admin: 'admin',
  owner: 'owner',
}

export function httpPages(root: string): Map<string, string> {
  return new Map([['docs/reference/http.md', httpPage(servicesIn(root))]])
}

function httpPage(services: ReadonlyMap<string, readonly Method[]>): string {
  return page(
    '# HTTP API of the team server',
    'The dashboard and the devices use the same API. Each method is a POST of a JSON object to `/holdfast.team.v1.<service>/<method>`, as in the [Connect protocol](https://connectrpc.com/docs/protocol). The messages are in the `.proto` files of the package `@holdfast/team`.',
    fenced(
      'sh',
      'curl -s -H "authorization: Bearer $HOLDFAST_TOKEN" -H "content-type: application/json" \\\n  -d "{}" "$HOLDFAST_SERVER/holdfast.team.v1.PeopleService/WhoAmI"',
    ),
    list([
      'Create a token on the page Settings, or with `PeopleService/CreateToken`. It has its own role or that of its owner, whichever is lower.',
      'Methods marked with GET also accept GET, with the message in the query.',
      'Methods marked as stream return several messages. Connect frames each with a flag byte and its length.',
      'An error has an HTTP status, a `code` such as `permission_denied`, and a `message`. `retry-after` gives the seconds to wait after `resource_exhausted`.',
      'Times are RFC 3339. Lists have `page_size` and `page_token`; an empty `next_page_token` ends the list.',
    ]),
    'The column "role" is the lowest role that may call the method: auditor, author, admin, owner. Some changes also need a second admin: see [team hooks](../guide/team.md).',
    ...[...services].flatMap(([service, methods]) => [
      `## ${service}`,
      table(
        ['method', 'role', 'does'],
        methods.map(({ name, summary, isStream, isSafe }) => [
          code(name),
          CALLERS[METHODS[`${service}/${name}`]!],
          `${summary}${isSafe ? ' GET.' : ''}${isStream ? ' Stream.' : ''}`,
        ]),
      ),
    ]),
    '## Other addresses',
    table(
      ['address', 'returns'],
      [
        ['`GET /healthz`', '200 while the process runs'],
        [
          '`GET /readyz`',
          '200 while the server can work, with `degraded` and the reason if something needs attention',
        ],
        ['`GET /metrics`', 'metrics in the Prometheus format'],
        ['`POST /device/code`, `POST /device/token`', 'sign-in of a device by code (RFC 8628)'],
      ],
    ),
  )
}

/** Services in the order of their files, with the comments of their methods. */
function servicesIn(root: string): Map<string, Method[]> {
  const services = new Map<string, Method[]>()
  const folder = join(root, PROTO)
  for (const file of readdirSync(folder).sort()) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, service, body] of text.matchAll(/^service (\w+) \{\n(.*?)^\}/gms)) {
      services.set(service!, methodsIn(service!, body!))
    }
  }
  return services
}

const METHOD =
  /((?: {2}\/\/ .*\n)*) {2}rpc (\w+)\(\w+\) returns \((stream )?\w+\)( \{\n(?: {4}.*\n)* {2}\})?/g

function methodsIn(service: string, body: string): Method[] {
  return [...body.matchAll(METHOD)].map(([, comment, name, stream, options = '']) => {
    const summary = comment!
      .replaceAll(/ *\/\/ ?/g, '')
      .trim()
      .replaceAll('\n', ' ')
    if (summary === '') throw new Error(`${service}/${name} has no comment in ${PROTO}.`)
    if (!METHODS[`${service}/${name}`]) throw new Error(`${service}/${name} has no permission.`)
    return {
      name: name!,
      summary,
      isStream: stream !== undefined,
      isSafe: options.includes('NO_SIDE_EFFECTS'),
    }
  })
}
