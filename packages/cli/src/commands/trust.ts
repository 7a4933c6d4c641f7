// holdfast trust: shows the project hooks that are not trusted, and trusts them as they are now.

import { join } from 'node:path'
import { fileTrustStore, openHooks } from '@holdfast/hooks'
import { type ChangedGuards, findChangedGuards } from '@holdfast/hooks/bridges'
import { type HookDefinition, SOURCES } from '@holdfast/hooks/protocol'
import { flag, type Given } from '../arguments.js'
import type { Command } from '../command.js'
import { readHistory } from '../history.js'
import { mustBeOutsideOfAgents } from '../install/in-agent.js'
import { OUTPUT, WORKSPACE, without } from '../option-sections.js'
import { place, shortPath } from '../print/place.js'
import { askYesNo, canAsk } from '../print/prompts.js'
import { type Row, renderEach } from '../print/rows.js'
import { print, printError, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { reviewText } from '../trust/review-text.js'
import { type FileReview, reviewedFiles } from '../trust/reviewed.js'
import { judgeTrust, type TrustedHook } from '../trusted.js'
import { UsageError } from '../usage-error.js'
import { type Workspace, workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'trust',
  summary: 'Review the hooks of a project and allow them to run',
  description:
    "The hooks of a project run only after you have trusted them. When a hook or its script changes, you must trust it again. The command shows the files, or the changes since you last trusted them. An agent's session pins its guards, including your own. If a guard is removed or changed, the actions that it would have judged are denied until you accept the change here.",
  options: [
    {
      options: {
        yes: flag('trust without asking'),
        list: flag('list all project hooks, and whether they are trusted'),
        revoke: flag('withdraw the trust of all hooks of this project'),
      },
    },
    without(WORKSPACE, 'trust-all'),
    OUTPUT,
  ],
  exitCodes: {
    0: 'listed, or all hooks are trusted, or there are none',
    1: 'not all hooks are trusted, a file cannot be read, or the call is wrong',
  },
  examples: ['holdfast trust', 'holdfast trust --list', 'holdfast trust --revoke'],
  run,
}

async function run(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen, roots } = workspace
  const isJson = given.has('json')

  if (given.has('revoke')) {
    const store = fileTrustStore(workspace.trustFile)
    for (const root of roots) {
      await saving(workspace, store.remove(root))
      reviewedFiles(workspace.home, root).remove()
    }
    const where = roots.map(root => shortPath(root, screen)).join(', ')
    if (isJson) printJson({ revoked: roots })
    else print(`\n  Trust was withdrawn from all hooks of ${where === '.' ? 'this project' : where}.\n\n`)
    return 0
  }

  // Trust is given to the fingerprints that are shown: a file that changes meanwhile stays untrusted.
  const hooks = await openHooks({ ...workspace.host, trustAll: false })
  try {
    const { layers } = hooks.catalog()
    const judged = judge(
      layers.flatMap(layer => layer.hooks),
      workspace,
    )
    const unread = layers
      .filter(({ state, source }) => state === 'failed' && SOURCES[source.kind].needsTrust)
      .map(({ source }) => source.file)
    const open = judged.filter(({ state }) => state !== 'trusted')
    const folder = join(workspace.home, '.holdfast', 'bridge')
    const changed = await findChangedGuards(folder, hooks.catalog(), workspace.home)
    const guards = changed.lost.map(guardJson)
    if ((open.length === 0 && guards.length === 0) || given.has('list')) {
      if (isJson)
        printJson({
          hooks: judged.map(judgedJson),
          session_guards: guards,
          files: [],
          trusted_now: 0,
          not_loaded: unread,
        })
      else if (judged.length > 0 || unread.length === 0)
        print(given.has('list') ? listWords(judged, screen) : allWords(judged.length))
      return reportUnread(unread, screen)
    }
    mustBeOutsideOfAgents('trust')
    const reviews = reviewsOf(open, workspace)
    const files = reviews.flatMap(({ shown }) => shown)
    if (!isJson) print(openWords(open, screen) + reviewText(files, screen) + guardWords(changed, screen))
    const agreed = given.has('yes') || (!isJson && (await isAgreed(open.length > 0)))
    const trusted = agreed ? await saving(workspace, hooks.trust(open.map(({ hook }) => hook))) : []
    if (agreed && trusted.length === open.length) await saving(workspace, changed.accept(hooks.catalog()))
    const left = open.length - trusted.length
    for (const { hooks, reviewed, shown } of reviews)
      if (trusted.some(({ id }) => hooks.some(hook => hook.id === id))) reviewed.save(shown)
    if (isJson)
      printJson({
        hooks: judged.map(judgedJson),
        files: files.map(fileJson),
        session_guards: guards,
        trusted_now: trusted.length,
        not_loaded: unread,
      })
    else if (trusted.length > 0)
      print(
        `  ${screen.green(count(trusted.length, 'hook'))} trusted. You are asked again when one changes.\n\n`,
      )
    if (!isJson && agreed && left === 0 && guards.length > 0)
      print(`  ${screen.green('Accepted')} for ${count(changed.sessions, 'session')}.\n\n`)
    if (agreed && left > 0) {
      printError(
        `${count(left, 'hook')} could not be trusted: a file changed meanwhile, or they exceed the limits of coverage. See: holdfast check\n`,
      )
      return 1
    }
    if (!agreed)
      printError('Nothing was trusted. To trust these hooks as they are now: holdfast trust --yes\n')
    return reportUnread(unread, screen) || (agreed ? 0 : 1)
  } finally {
    hooks.close()
  }
}

/** The files of the hooks, by root. They are read once: what is shown is what is stored. */
function reviewsOf(open: readonly TrustedHook[], { home }: Workspace) {
  return [...new Set(open.map(({ hook }) => hook.root))].map(root => {
    const hooks = open.map(({ hook }) => hook).filter(hook => hook.root === root)
    const reviewed = reviewedFiles(home, root)
    return { hooks, reviewed, shown: reviewed.review(hooks) }
  })
}

const fileJson = ({ path, state, after }: FileReview) => ({
  path,
  state,
  bytes: after?.bytes ?? null,
  sha256: after?.sha256 || null,
})

/** A file that cannot be read must not look like a project without hooks. */
function reportUnread(files: readonly string[], screen: Screen): 0 | 1 {
  for (const file of files)
    printError(
      `${shortPath(file, screen)} cannot be read, so its hooks cannot be trusted. See: holdfast check\n`,
    )
  return files.length > 0 ? 1 : 0
}

/** A home folder that cannot be written to is an error of use, not of the program. */
async function saving<T>(workspace: Workspace, work: T): Promise<Awaited<T>> {
  try {
    return await work
  } catch (error) {
    const where = shortPath(workspace.trustFile, workspace.screen)
    throw new UsageError(
      `Trust could not be saved in ${where}: ${(error as Error).message}. Check that the folder can be written, or choose another with --home.`,
    )
  }
}

function judge(hooks: readonly HookDefinition[], { logFile, trustFile }: Workspace): TrustedHook[] {
  const history = readHistory(logFile, hooks)
  return judgeTrust(hooks, trustFile, hook => history.lastRunOf(hook) !== undefined)
}

const allWords = (total: number) =>
  total === 0
    ? '\n  This project has no hooks, so there is nothing to trust.\n\n'
    : `\n  ${total === 1 ? 'The project hook is' : `All ${total} project hooks are`} trusted.\n\n`

function listWords(judged: readonly TrustedHook[], screen: Screen): string {
  if (judged.length === 0) return allWords(0)
  const open = judged.filter(({ state }) => state !== 'trusted').length
  const rest = open > 0 ? `, ${screen.amber(`${open} not`)}; review with: holdfast trust` : ''
  return `\n${hookLines(judged, screen)}\n\n  ${judged.length - open} trusted${rest}\n\n`
}

const openWords = (open: readonly TrustedHook[], screen: Screen) =>
  open.length === 0
    ? ''
    : `\n  ${screen.bold(`${count(open.length, 'project hook')} ${open.length === 1 ? 'is' : 'are'} not trusted`)}\n\n${hookLines(open, screen)}\n\n`

/** Guards of the user are reviewed here too, because agent sessions pin them. */
function guardWords({ lost, sessions }: ChangedGuards, screen: Screen): string {
  if (lost.length === 0) return ''
  const one = lost.length === 1
  const title = `${count(lost.length, 'guard')} of ${count(sessions, 'session')} ${one ? 'was' : 'were'} changed or removed`
  const lines = lost.map(
    ({ pin, reason }) =>
      `  ${pin.event}  ${visible(pin.name)}\n    ${visible(reason)}\n    ${screen.dim(shortPath(pin.file, screen))}`,
  )
  return `\n  ${screen.bold(title)}\n  The actions that it would have judged are denied until you accept the change.\n\n${lines.join('\n\n')}\n\n`
}

/** Commands are shown in full: the user decides about all of it. */
function hookLines(judged: readonly TrustedHook[], screen: Screen): string {
  const { dim, amber } = screen
  const rows = judged.map(
    ({ hook, state }): Row => ({
      cells: [{ text: state, style: state === 'trusted' ? dim : amber }, { text: hook.event }],
      below: [
        { text: visible(hook.command ?? hook.prompt ?? hook.name) },
        ...hook.scripts
          .map(({ path }) => shortPath(path, screen))
          .filter(path => path !== hook.command)
          .map(path => ({ text: `runs ${path}`, style: dim })),
        ...(hook.gap === undefined
          ? []
          : [{ text: `not fully covered: ${visible(hook.gap)}`, style: amber }]),
        {
          text: `${place(hook.file, hook.line, screen)} · fingerprint ${hook.fingerprint.slice(0, 12)}`,
          style: dim,
        },
      ],
    }),
  )
  return renderEach(rows, [{}, {}], screen.columns)
    .map(block => block.join('\n'))
    .join('\n\n')
}

async function isAgreed(hasHooks: boolean): Promise<boolean> {
  if (!canAsk()) return false
  return askYesNo(
    hasHooks
      ? 'These hooks run with your permissions at each of their events. Trust them?'
      : 'Accept this change for the running sessions?',
  )
}

const guardJson = ({ pin, reason }: ChangedGuards['lost'][number]) => ({
  event: pin.event,
  source: pin.source,
  hook: pin.name,
  file: pin.file,
  root: pin.root,
  reason,
})

const judgedJson = ({ hook, state }: TrustedHook) => ({
  event: hook.event,
  source: hook.source,
  hook: hook.name,
  file: hook.file,
  line: hook.line,
  root: hook.root,
  state,
  fingerprint: hook.fingerprint,
  scripts: hook.scripts.map(({ path }) => path),
  not_covered: hook.gap ?? null,
})
