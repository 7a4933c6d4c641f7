// Runs the complete product on this machine: a team server with a demonstration team, the panel, and an agent that
// works under both. Its data is stored in .demo, and the next start continues with it.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { root, step } from '../steps.mjs'
import { startAgent } from './agent.mjs'
import { holdfast, holdfastOn } from './programs.mjs'
import { takeFolder } from './running.mjs'
import { makeTeam, OWNER, PASSWORD } from './team.mjs'

const TOUR = join(root, 'examples/tour')
const USUAL_PORT = 8420

/** All data is stored in the folder, and the next start with it continues. */
export async function startDemo(folder) {
  const home = join(folder, 'home')
  const ready = join(folder, 'ready')
  const portFile = join(folder, 'port')
  // A first start that was interrupted starts over: its team is incomplete.
  takeFolder(folder)
  if (!existsSync(ready)) rmSync(folder, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const free = takeFolder(folder)
  const log = openSync(join(folder, 'server.log'), 'a', 0o600)
  const stops = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
    closeSync(log)
    free()
  }
  try {
    let server
    await step('starting the team server', async () => {
      const port = await portOf(portFile)
      const running = holdfastOn(
        home,
        ['serve', '--database', join(folder, 'team.db'), '--port', String(port), '--name', 'Harbour works'],
        { log },
      )
      stops.push(() => running.stop())
      server = await running.first.catch(error => {
        throw new Error(
          `The team server did not start: ${error.message} Its log is ${join(folder, 'server.log')}.`,
        )
      })
      writeFileSync(portFile, String(server.port))
    })
    if (!existsSync(ready)) {
      await step('making a demonstration team: people, hooks, 36 devices, a week of runs', async () => {
        const key = await makeTeam(server.url, server.owner_link)
        await holdfast(home, ['login', server.url, '--yes', '--no-background', '--json'], {
          HOLDFAST_ENROLMENT_KEY: key,
        })
        await holdfast(home, ['trust', '--yes', '--root', TOUR])
        writeFileSync(ready, `${new Date().toISOString()}\n`)
      })
    }
    let panel
    await step('starting the panel and the agent', async () => {
      const watch = holdfastOn(home, ['team', 'watch'], { log })
      watch.first.catch(() => {})
      stops.push(() => watch.stop())
      panel = holdfastOn(home, ['ui', '--root', TOUR], { log })
      stops.push(() => panel.stop())
      const agent = await startAgent(home)
      stops.push(() => agent.stop())
    })
    return { server, folder, link: await panel.first.then(({ link }) => link), newLink: panel.next, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const words = ({ server, link, folder }, isTerminal) => `
  The team's dashboard   ${server.url}
                         ${OWNER.email} with the password: ${PASSWORD}
                         ben@, cleo@ and dina@example.com are admin, author and auditor, with the same one
  The Hooks panel        ${link}
                         works once, within a minute${isTerminal ? '; press Enter for another' : ''}

  An agent works under the hooks of examples/tour and of the team. Its programs are stand-ins: nothing is changed
  outside of ${relative(root, folder)}. Ctrl-C stops everything; the next start continues. Delete that folder to start over.

`

/** Runs until a signal ends it. */
export async function runDemo(folder) {
  const { stdin, stdout } = process
  const stopped = stopSignal()
  const demo = await startDemo(folder)
  stdout.write(words(demo, stdin.isTTY === true))
  if (stdin.isTTY) stdin.on('data', async () => stdout.write(`  ${(await demo.newLink()).link}\n`))
  await stopped
  stdin.pause()
  stdout.write('\n  Stopping … ')
  await demo.stop()
  stdout.write('done.\n')
}

/** Resolves when a signal asks this process to end. */
export const stopSignal = () =>
  new Promise(resolve => {
    // Not `once`: npm forwards a signal that the terminal has already sent.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })

/** The devices store the address of the server, so it keeps its port. */
async function portOf(file) {
  const kept = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  if (kept > 0) return kept
  return (await isFree(USUAL_PORT)) ? USUAL_PORT : 0
}

const isFree = port =>
  new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
