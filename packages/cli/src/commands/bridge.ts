// holdfast bridge: called by another agent at each of its events. stdout belongs to that agent, so nothing else is
// printed there; what is worth knowing goes to stderr and into a log, since agents show stderr to nobody.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BRIDGES, type Bridge, type BridgeResponse, findBridge, runBridge } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { openWorkshop, showHelp } from '../load.js'
import { evaluatePrompt } from '../model.js'
import { type Given, known, noMore, parse, SHARED } from '../options.js'
import { print, printError } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { nearestRoot, workspaceOf } from '../workspace.js'

const { json, color, 'no-color': noColor, ...WORKSPACE } = SHARED

/** The agents are told to wait 600 seconds; whoever is cut off is taken for silent, so we are done before. */
const LONGEST_MS = 590_000
const LARGEST = 64 * 1024 * 1024
const LARGEST_LOG = 1024 * 1024

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('bridge', argv, { ...WORKSPACE, event: 'value', 'no-log': 'flag' })
  if (given.has('help')) return showHelp('bridge')
  const bridge = bridgeOf(given)
  const { home } = workspaceOf(given)
  if (process.stdin.isTTY) {
    printError(
      `holdfast bridge: This waits for ${bridge.title}, which starts it by itself. End with Ctrl-D.\n`,
    )
  }
  const { stdout, stderr, exitCode } = await answered(bridge, given, home)
  if (stderr !== '') {
    const lines = stderr.trimEnd().split('\n').map(visible)
    for (const line of lines) printError(`${line}\n`)
    keep(join(home, '.holdfast', 'log', 'bridge.log'), bridge, lines)
  }
  print(stdout)
  const { revive } = await import('@holdfast/hosts/team')
  await revive(home)
  return exitCode
}

function bridgeOf(given: Given): Bridge {
  const [name] = given.positionals
  const names = BRIDGES.map(bridge => bridge.name)
  if (name === undefined) throw new Complaint(`bridge needs an agent: ${names.join(', ')}.`)
  noMore('bridge', given.positionals, 1)
  return findBridge(known('agent', name, names))!
}

/** Whatever happens, no crash is taken for a yes: this code and the text block in every agent. */
async function answered(bridge: Bridge, given: Given, home: string): Promise<BridgeResponse> {
  const signal = AbortSignal.any([interrupted(), AbortSignal.timeout(LONGEST_MS)])
  try {
    const workspace = workspaceOf(given)
    const { projectVariable = '', startsInProject } = bridge.config
    const project = startsInProject ? workspace.cwd : process.env[projectVariable]
    const rootsAt = (cwd: string) =>
      given.list('root').length > 0 ? workspace.roots : [nearestRoot(project || cwd || workspace.cwd, home)]
    return await runBridge({
      bridge,
      text: await readInput(signal),
      event: given.value('event'),
      host: cwd => ({
        ...workspace.host,
        workspaceRoots: rootsAt(cwd),
        env: withoutKeys(bridge),
        evaluatePrompt,
        log: { file: given.has('no-log') ? null : workspace.logFile },
      }),
      folder: join(home, '.holdfast', 'bridge', bridge.name),
      signal,
      notices: async (hooks, cwd) => {
        const { installations, staleInstalls } = await openWorkshop().stale()
        const here = { ...workspace, roots: rootsAt(cwd) }
        return staleInstalls(here, hooks, installations(here, [bridge])).map(
          ({ message, fix }) => `The hooks in ${bridge.title} are not up to date: ${message}. ${fix}`,
        )
      },
    })
  } catch (error) {
    return {
      stdout: '',
      stderr: `holdfast bridge: It failed, so this was blocked: ${(error as Error).message}\n`,
      exitCode: 2,
    }
  }
}

/** The agent's own keys are none of the hooks' business. */
function withoutKeys({ config }: Bridge): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !config.secretVariables?.includes(name))
  return Object.fromEntries(kept)
}

/** More than we take counts as nothing that can be read. */
async function readInput(signal: AbortSignal): Promise<string> {
  signal.addEventListener('abort', () => process.stdin.destroy(new Error('stdin did not end in time.')))
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    length += (chunk as Buffer).length
    if (length <= LARGEST) chunks.push(chunk as Buffer)
    else chunks.length = 0
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Not worth failing for. */
function keep(file: string, { name }: Bridge, lines: readonly string[]): void {
  const time = new Date().toISOString()
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_LOG) renameSync(file, `${file}.1`)
    const text = lines.map(line => `${time} ${name} ${line.replace('holdfast bridge: ', '')}\n`).join('')
    appendFileSync(file, text, { mode: 0o600 })
  } catch {
    // the disk is full, or the home is not ours
  }
}
