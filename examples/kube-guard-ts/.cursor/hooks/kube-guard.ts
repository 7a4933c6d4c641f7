// Checks what kubectl would send to a cluster before it runs.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { ask, deny, hook } from '@holdfast/hooks/sdk'
import { judgeCall } from './calls.js'
import { meaningOf } from './kubectl.js'
import type { Problem } from './manifests.js'
import { type Command, commandsIn } from './shell.js'

/** A longer list would not be read. */
const MOST = 6

export default hook({
  beforeShellExecution: ({ command, cwd, workspace_roots }) => {
    const problems = problemsOf(command, [cwd || workspace_roots[0] || process.cwd()])
    const denied = problems.filter(({ verdict }) => verdict === 'deny')
    if (denied.length > 0) {
      return deny(`kubectl was stopped:\n${lines(denied)}`, {
        agent: `kubectl was stopped:\n${lines(denied)}\nChange the manifest, or ask the user to run it.`,
      })
    }
    if (problems.length > 0) return ask(`Run this against the cluster?\n${lines(problems)}`)
  },
})

const DEEPEST = 4
const MOST_FOLDERS = 16

function problemsOf(text: string, start: readonly string[], depth = 0): Problem[] {
  let commands: readonly Command[]
  try {
    if (depth > DEEPEST) throw new Error('it is a command in a command in a command')
    commands = commandsIn(text)
  } catch (error) {
    const what = `the command cannot be read: ${(error as Error).message}`
    return /kube/.test(text) ? [{ verdict: 'deny', what }] : []
  }
  const problems: Problem[] = []
  let folders = start
  let isKnown = true
  for (const [at, command] of commands.entries()) {
    const [program, folder = HOME] = command.words
    if (/^(?:cd|pushd|popd)$/.test(program?.text ?? '')) {
      // It may fail, or run in a subshell, so the old folder stays possible.
      folders = [...new Set([...folders, ...folders.map(old => resolve(old, folder.text))])]
      isKnown &&= folder.isCertain && !/^[-+]/.test(folder.text) && folders.length <= MOST_FOLDERS
    }
    const { calls, scripts, isUnknown } = meaningOf(command)
    for (const call of calls)
      problems.push(...judgeCall(call, { folders, isKnown, before: commands.slice(0, at) }))
    for (const script of scripts) problems.push(...problemsOf(script, folders, depth + 1))
    if (isUnknown && /kube/.test(text))
      problems.push({ verdict: 'ask', what: 'something runs that only the shell knows' })
  }
  return problems
}

const HOME = { text: homedir(), isCertain: true }

function lines(problems: readonly Problem[]): string {
  const all = [...new Set(problems.map(({ what }) => what))]
  const more = all.length - MOST
  const shown = [...all.slice(0, MOST), ...(more > 0 ? [`and ${more} more`] : [])]
  return shown.map(what => `- ${what}`).join('\n')
}
