// A server in a separate process, with the complete audit log and an authenticator that accepts any claim. It prints
// its port on a line, and ends when its input does.

import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { aboutOf } from '../../packages/server/src/about.js'
import { ACTOR, type Actor } from '../../packages/server/src/access/actor.js'
import { startMaintenance } from '../../packages/server/src/audit/maintenance.js'
import { openPort } from '../../packages/server/src/http/port.js'
import { openTeam } from '../../packages/server/src/open-team.js'
import { RequestError } from '../../packages/server/src/request-error.js'
import { openDelivery } from '../../packages/server/src/rollout/delivery.js'
import { keepSituation } from '../../packages/server/src/rollout/situation.js'
import { routes } from '../../packages/server/src/rpc/routes.js'
import { openSecrets } from '../../packages/server/src/secrets.js'

const { database, otlp } = JSON.parse(process.argv[2]!) as {
  database: string
  otlp?: { url: string }
}

const log = {
  info() {},
  warn() {},
  error: (message: string, facts?: object) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
}

/** "device <id>" or "person". */
const believing: Interceptor = next => async request => {
  const [kind, deviceId = ''] = (request.header.get('authorization') ?? '').split(' ')
  const actor: Actor =
    kind === 'device'
      ? { kind, deviceId, address: '' }
      : { kind: 'person', userId: 'u', name: 'Ada', role: 'admin', via: 'token', address: '' }
  request.contextValues.set(ACTOR, actor)
  try {
    return await next(request)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    throw new ConnectError(
      error.message,
      error.code === 'too-much' ? Code.ResourceExhausted : Code.InvalidArgument,
    )
  }
}

const opened = await openTeam({
  database,
  secrets: openSecrets(Buffer.alloc(32, 7)),
  url: 'http://127.0.0.1',
  log,
  ...(otlp ? { otlp } : {}),
})
const maintenance = startMaintenance(opened.team, otlp)
const calls = connectNodeAdapter({
  routes: routes(opened.team, {
    situations: keepSituation(opened.team),
    deliver: openDelivery(opened.team),
    about: aboutOf(undefined, otlp, opened.isPushDegraded),
  }),
  interceptors: [believing],
  readMaxBytes: 4 * 1024 * 1024,
})
const port = await openPort({ host: '127.0.0.1', port: 0 }, calls)
process.stdout.write(`${JSON.stringify({ port: port.port })}\n`)

process.stdin.resume()
process.stdin.once('end', async () => {
  await port.close(1000)
  await maintenance.stop()
  await opened.close()
  process.exit(0)
})
