// Starts a panel with a separate workspace and home, in this process or as `holdfast ui`.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHooks } from '@holdfast/hooks'
import { parse } from '../../packages/cli/src/arguments.js'
import { WORKSPACE } from '../../packages/cli/src/option-sections.js'
import { type QuestionSource, startPanel as servePanel } from '../../packages/cli/src/ui/index.js'
import { workspaceOf } from '../../packages/cli/src/workspace.js'
import { watched } from '../processes.js'
import { listenAgain, release } from './ports.js'

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

export interface PanelOptions {
  /** Files of the workspace by their paths; scripts are made executable. */
  readonly files?: Readonly<Record<string, string>>
  /** Files of the user's home. */
  readonly homeFiles?: Readonly<Record<string, string>>
  /** The name of the workspace folder. */
  readonly folder?: string
  /** Whether the project's hooks may run (default: true). */
  readonly trusted?: boolean
  /** Starts `holdfast ui`, for tests that stop, freeze or kill the process. */
  readonly isProcess?: boolean
}

export interface TestPanel {
  readonly root: string
  readonly home: string
  readonly logFile: string
  readonly link: string
  readonly url: string
  /** Runs the command in this workspace; its exit code does not matter. */
  holdfast(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>
  write(path: string, text: string): void
  /** Sends it to the process: SIGSTOP freezes it, SIGCONT continues it. */
  signal(name: NodeJS.Signals): void
  /** Kills the process and starts another on the same port. Returns the new link. */
  restart(): Promise<string>
  stop(): Promise<void>
}

/** A guard that denies, one that abstains, and one that fails open. */
export const FILES: Readonly<Record<string, string>> = {
  '.cursor/hooks.json': `{
  // Hooks of this project.
  "version": 1,
  "hooks": {
    "beforeShellExecution": [
      { "command": "./.cursor/hooks/guard.sh", "timeout": 5 },
      { "command": "./.cursor/hooks/watch.sh", "matcher": "git" },
      { "command": "./.cursor/hooks/broken.sh", "matcher": "broken" }
    ],
    "afterFileEdit": [{ "command": "./.cursor/hooks/watch.sh" }]
  }
}
`,
  '.cursor/hooks/guard.sh': `#!/bin/sh
# Denies force pushes.
payload=$(cat)
case $payload in
  *--force*) echo '{"permission":"deny","user_message":"Force pushes are blocked in this repository.","agent_message":"Open a pull request instead."}' ;;
  *rm\\ -rf*) echo '{"permission":"ask","user_message":"Delete all of it?"}' ;;
  *) echo '{"permission":"allow"}' ;;
esac
`,
  '.cursor/hooks/watch.sh': '#!/bin/sh\ncat > /dev/null\n',
  '.cursor/hooks/broken.sh': '#!/bin/sh\ncat > /dev/null\necho "ModuleNotFoundError: requests" >&2\nexit 1\n',
}

export async function startPanel(options: PanelOptions = {}): Promise<TestPanel> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-panel-'))
  const root = join(folder, options.folder ?? 'workspace')
  const home = join(folder, 'home')
  const put = (base: string) => (path: string, text: string) => {
    const file = join(base, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (text.startsWith('#!')) chmodSync(file, 0o755)
  }
  const write = put(root)
  mkdirSync(root, { recursive: true })
  mkdirSync(home, { recursive: true })
  for (const [path, text] of Object.entries(options.files ?? FILES)) write(path, text)
  for (const [path, text] of Object.entries(options.homeFiles ?? {})) put(home)(path, text)
  const here = ['--root', root, '--home', home]
  const env = { ...process.env, HOME: home, NO_COLOR: '1', NODE_EXTRA_CA_CERTS: '' }
  const holdfast: TestPanel['holdfast'] = (...args) =>
    new Promise(resolve =>
      watched(
        execFile(process.execPath, [COMMAND, ...args, ...here], { cwd: root, env }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
        ),
      ),
    )
  if (options.trusted !== false) await trustHooks(root, home)
  const panel = await (options.isProcess ? startProcess(root, here, env) : startInside(here))
  return {
    root,
    home,
    logFile: join(home, '.holdfast', 'log', 'runs.jsonl'),
    link: panel.link,
    url: new URL(panel.link).origin,
    holdfast,
    write,
    signal: panel.signal,
    restart: panel.restart,
    async stop() {
      await panel.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Started = Pick<TestPanel, 'link' | 'signal' | 'restart' | 'stop'>

const NO_DAEMON: QuestionSource = {
  list: async () => 'absent',
  answer: async () => false,
  unattended: undefined,
}

async function startInside(here: readonly string[]): Promise<Started> {
  const workspace = workspaceOf(parse('ui', here, WORKSPACE.options))
  const panel = await listenAgain(port => servePanel(workspace, port, NO_DAEMON))
  const noProcess = () => {
    throw new Error('This panel runs in the test process. Start it with isProcess.')
  }
  return {
    link: panel.link(),
    signal: noProcess,
    restart: noProcess,
    async stop() {
      await panel.close()
      await release(panel.port)
    },
  }
}

async function startProcess(root: string, here: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const start = (...more: readonly string[]) =>
    watched(
      spawn(process.execPath, [COMMAND, 'ui', '--json', ...here, ...more], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  let child = start()
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  const { link } = await firstJson(child)
  return {
    link,
    signal: name => void child.kill(name),
    async restart() {
      await end('SIGKILL')
      child = start('--port', new URL(link).port)
      return (await firstJson(child)).link
    },
    stop: () => end('SIGTERM'),
  }
}

/** As `holdfast trust --yes` does, without the cost of a process. */
async function trustHooks(root: string, home: string): Promise<void> {
  const hooks = await openHooks({ workspaceRoots: [root], home, watch: false })
  const untrusted = hooks.catalog().layers.flatMap(layer => layer.hooks.filter(({ trusted }) => !trusted))
  if (untrusted.length > 0) await hooks.trust(untrusted)
  hooks.close()
}

function firstJson(child: ChildProcess): Promise<{ link: string }> {
  let said = ''
  let complained = ''
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', chunk => (complained += chunk))
    child.stdout!.on('data', chunk => {
      said += chunk
      try {
        resolve(JSON.parse(said))
      } catch {
        // More output follows.
      }
    })
    child.once('exit', code => reject(new Error(`holdfast ui ended with ${code}: ${complained}`)))
  })
}
