// A home, a project and hooks of one proof. `holdfast install` writes the agent's settings, as for a user.

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentName } from '../fixtures/agents.js'
import { type Config, type Entry, Workspace } from '../fixtures/workspace.js'
import { finished } from './program.js'

const HOLDFAST = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

export class Stage {
  readonly place = new Workspace()
  readonly home = this.place.home
  readonly project = this.place.root
  readonly userHooks = join(this.home, '.cursor/hooks.json')
  /** On the PATH, so that entries of a project find holdfast by its name. */
  private readonly bin = join(this.place.base, 'bin')
  /** The folder above the settings of the machine. */
  readonly machine = join(this.place.base, 'machine')

  constructor() {
    mkdirSync(this.bin)
    symlinkSync(HOLDFAST, join(this.bin, 'holdfast'))
  }

  /** Hooks of the user, and the bridge in the agent's own settings. */
  async hooks(agent: AgentName, hooks: Config): Promise<void> {
    this.place.user(hooks)
    const { exitCode, output } = await this.holdfast('install', agent, '--no-client', '--accept-loss')
    if (exitCode !== 0) throw new Error(`holdfast install ${agent}: ${output}`)
  }

  holdfast(...args: string[]) {
    return finished(process.execPath, [HOLDFAST, ...args], {
      cwd: this.project,
      env: this.env(),
      timeoutMs: 30_000,
    })
  }

  /** A hook that records its payloads and responds. */
  hook(name: string, answer: object | null = null, more: Entry = {}): Entry {
    const says = answer ? `; echo '${JSON.stringify(answer).replaceAll("'", "'\\''")}'` : ''
    return { command: `printf '%s\\n' "$(cat)" >> ${this.file(name)}${says}`, ...more }
  }

  /** The payloads that the hook of this name has recorded. */
  seen(name: string): Record<string, unknown>[] {
    if (!existsSync(this.file(name))) return []
    const lines = readFileSync(this.file(name), 'utf8').split('\n')
    return lines.filter(line => line !== '').map(line => JSON.parse(line))
  }

  has(path: string): boolean {
    return existsSync(join(this.project, path))
  }

  text(path: string): string {
    return readFileSync(resolve(this.project, path), 'utf8')
  }

  /** Merges keys into a JSON file below the home; existing keys stay, above all hooks. */
  addToHome(path: string, more: object): void {
    const file = join(this.home, path)
    const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    this.place.write(file, JSON.stringify({ ...before, ...more }, null, 2))
  }

  /** Nothing of this machine's user: no keys, no settings, no proxies. */
  env(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const { PATH, LANG, TMPDIR } = process.env
    return {
      PATH: `${this.bin}${delimiter}${PATH}`,
      LANG,
      TMPDIR,
      HOME: this.home,
      NO_COLOR: '1',
      CI: '1',
      ...more,
    }
  }

  close(): Promise<void> | void {
    return this.place.close()
  }

  private file(name: string): string {
    return join(this.place.base, `${name}.jsonl`)
  }
}
