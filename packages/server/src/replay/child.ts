// The program inside the sandbox: the engine with one draft as its only hook. The first line of the input is the draft,
// each further one an event; each line of the output is a response.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Hooks, openHooks } from '@holdfast/hooks'
import { type EventName, isBlocked, type Verdict } from '@holdfast/hooks/protocol'
import type { DraftQuestion, DraftReply, Start } from './player.js'

const [, , home = ''] = process.argv
/** As many at once as the machine has capacity for. */
const AT_ONCE = 4

async function answer(engine: Hooks, { id, event, facts }: DraftQuestion): Promise<DraftReply> {
  try {
    return replyOf(id, await engine.fire(event as EventName, facts as never))
  } catch (error) {
    return { id, verdict: 'failed', failure: cut((error as Error).message), ...NOTHING }
  }
}

function replyOf(id: string, verdict: Verdict): DraftReply {
  const [run] = verdict.runs
  const failure = run?.outcome.kind === 'failed' ? run.outcome.failure : undefined
  return {
    id,
    verdict: failure && !isBlocked(verdict) ? 'failed' : wordOf(verdict),
    userMessage: cut(verdict.userMessage),
    agentMessage: cut(verdict.agentMessage),
    failure: failure ? cut(`[${failure.code}] ${failure.message}`) : '',
    stdout: cut(run?.exit.stdout),
    stderr: cut(run?.exit.stderr),
    exitCode: run?.exit.code ?? 0,
    durationMs: run?.exit.durationMs ?? 0,
    ran: verdict.runs.length > 0,
  }
}

/** More output is not read, and lines are limited. */
const cut = (text: string | null | undefined): string => (text ?? '').slice(0, 10_000)

function wordOf(verdict: Verdict): DraftReply['verdict'] {
  if (isBlocked(verdict)) return 'deny'
  if (verdict.permission !== null) return verdict.permission
  return verdict.continue === true ? 'allow' : 'none'
}

const NOTHING = {
  userMessage: '',
  agentMessage: '',
  stdout: '',
  stderr: '',
  exitCode: 0,
  durationMs: 0,
  ran: false,
}

/** As a device writes it. */
function writeDraft({ manifest, scriptName, script }: Start): void {
  const folder = join(home, '.cursor', 'managed', 'team_draft', 'hooks')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'manifest.json'), manifest)
  if (scriptName !== undefined) writeFileSync(join(folder, scriptName), script, { mode: 0o500 })
}

// If memory runs out, the kernel ends drafts before it ends the server.
writeFileSync('/proc/self/oom_score_adj', '1000')
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
writeDraft(JSON.parse((await lines.next()).value!) as Start)
const hooks = await openHooks({
  workspaceRoots: [],
  home,
  enterpriseDir: `${home}/none`,
  teamId: 'draft',
  trustUnsignedTeams: true,
  watch: false,
  log: { file: null },
  rehearsal: true,
  env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
})
const running = new Set<Promise<void>>()
for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  if (line === '') continue
  const question = JSON.parse(line) as DraftQuestion
  const work: Promise<void> = answer(hooks, question).then(reply => {
    process.stdout.write(`${JSON.stringify(reply)}\n`)
    running.delete(work)
  })
  running.add(work)
  if (running.size >= AT_ONCE) await Promise.race(running)
}
await Promise.all(running)
hooks.close()
