// A workspace of its own for one test, with a home beside it, and an engine that sees nothing else.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Hooks, type HostOptions, openHooks } from '@holdfast/hooks'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'

export interface Place {
  readonly workspace: string
  readonly home: string
  write(path: string, text: string, mode?: number): string
  read(path: string): string
  has(path: string): boolean
  /** Hooks that append every event to a file, and beside them those given. */
  audit(more?: Record<string, object[]>): void
  audited(): Record<string, unknown>[]
  open(options?: Partial<HostOptions>): Promise<Hooks>
  close(): void
}

export function openPlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-agent-')))
  const workspace = join(base, 'project')
  const home = join(base, 'home')
  const log = join(base, 'audit.jsonl')
  for (const folder of [workspace, home]) mkdirSync(folder)
  appendFileSync(log, '')
  const opened: Hooks[] = []
  const place: Place = {
    workspace,
    home,
    write(path, text, mode = 0o644) {
      const file = join(workspace, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      chmodSync(file, mode)
      return file
    },
    read: path => readFileSync(join(workspace, path), 'utf8'),
    has: path => existsSync(join(workspace, path)),
    audit(more = {}) {
      place.write(
        '.cursor/hooks/audit.sh',
        `#!/bin/sh\nline=$(cat)\nprintf '%s\\n' "$line" >> '${log}'\n`,
        0o755,
      )
      const hooks = Object.fromEntries(
        EVENT_NAMES.map(name => [name, [{ command: '.cursor/hooks/audit.sh' }, ...(more[name] ?? [])]]),
      )
      place.write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
    },
    audited: () =>
      denialsFirst(
        readFileSync(log, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line) as Record<string, unknown>),
      ),
    async open(options = {}) {
      const hooks = await openHooks({
        workspaceRoots: [workspace],
        home,
        enterpriseDir: join(home, 'none'),
        trustAll: true,
        watch: false,
        ...options,
      })
      opened.push(hooks)
      return hooks
    },
    close() {
      for (const hooks of opened) hooks.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
  return place
}

/**
 * The hooks of a denial run beside what the model does next, and write before or after it. Listed before the response
 * that follows the denial.
 */
function denialsFirst(events: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const out: Record<string, unknown>[] = []
  for (const event of events) {
    let at = out.length
    if (event.failure_type === 'permission_denied')
      while (out[at - 1]?.hook_event_name === 'afterAgentResponse') at--
    out.splice(at, 0, event)
  }
  return out
}
