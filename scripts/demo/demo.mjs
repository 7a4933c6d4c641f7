// The whole product on this machine: a team server with a demonstration team, the panel, and an agent that works under
// both, so that things move. What it makes stays in .demo, and the next start goes on with it.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { root, step } from '../steps.mjs'
import { startAgent } from './agent.mjs'
import { holdfast, holdfastOn } from './programs.mjs'
import { makeTeam, OWNER, PASSWORD } from './team.mjs'

const FOLDER = join(root, '.demo')
const HOME = join(FOLDER, 'home')
const PORT_FILE = join(FOLDER, 'port')
const READY = join(FOLDER, 'ready')
const TOUR = join(root, 'examples/tour')
const USUAL_PORT = 8420

export async function startDemo() {
  // A first start that was interrupted begins anew: half a team helps nobody.
  if (!existsSync(READY)) rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(HOME, { recursive: true })
  const log = openSync(join(FOLDER, 'server.log'), 'a', 0o600)
  const stops = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
    closeSync(log)
  }
  try {
    let server
    await step('starting the team server', async () => {
      const port = await portOf()
      const running = holdfastOn(
        HOME,
        ['serve', '--database', join(FOLDER, 'team.db'), '--port', String(port), '--name', 'Harbour works'],
        { log },
      )
      stops.push(() => running.stop())
      server = await running.first.catch(error => {
        throw new Error(`The team server did not start: ${error.message} Its log is .demo/server.log.`)
      })
      writeFileSync(PORT_FILE, String(server.port))
    })
    if (!existsSync(READY)) {
      await step('making a demonstration team: people, hooks, 36 devices, a week of runs', async () => {
        const key = await makeTeam(server.url, server.owner_link)
        await holdfast(HOME, ['login', server.url, '--yes', '--no-background', '--json'], {
          HOLDFAST_ENROLMENT_KEY: key,
        })
        await holdfast(HOME, ['trust', '--yes', '--root', TOUR])
        writeFileSync(READY, `${new Date().toISOString()}\n`)
      })
    }
    let panel
    await step('starting the panel and the agent', async () => {
      const watch = holdfastOn(HOME, ['team', 'watch'], { log })
      watch.first.catch(() => {})
      stops.push(() => watch.stop())
      panel = holdfastOn(HOME, ['ui', '--root', TOUR], { log })
      stops.push(() => panel.stop())
      const agent = await startAgent(HOME)
      stops.push(() => agent.stop())
    })
    return { server, link: await panel.first.then(({ link }) => link), newLink: panel.next, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export const words = ({ server, link }, isTerminal) => `
  The team's dashboard   ${server.url}
                         ${OWNER.email} with the password: ${PASSWORD}
                         ben@, cleo@ and dina@example.com are admin, author and auditor, with the same one
  The Hooks panel        ${link}
                         works once, within a minute${isTerminal ? '; press Enter for another' : ''}

  An agent works under examples/tour and the team's hooks, again and again. Ctrl-C stops all of it.
  The next start goes on with what is in .demo; delete that folder to begin anew.

`

/** The devices know the server by its address, so it keeps its port. */
async function portOf() {
  const kept = existsSync(PORT_FILE) ? Number(readFileSync(PORT_FILE, 'utf8')) : 0
  if (kept > 0) return kept
  return (await isFree(USUAL_PORT)) ? USUAL_PORT : 0
}

const isFree = port =>
  new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
