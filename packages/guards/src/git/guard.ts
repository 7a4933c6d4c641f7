// What a team expects of commits: protected branches, checks that run, and no secrets in the index.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Finding, findingOf, fitsAny, type Guard, type Judgement, listOf } from '../guard.js'
import { commandOf } from '../payload.js'
import { findSecrets } from '../secrets/find.js'
import { UNKNOWN } from '../shell/call.js'
import { GitCommand } from '../shell/git-command.js'
import { readCommand } from '../shell/index.js'
import { secretOf } from '../shell/paths.js'

const ALTERNATIVES = {
  'git/protected-push': 'Push a branch of your own and open a pull request: `git push origin HEAD:topic`.',
  'git/protected-commit': 'Commit on a branch: `git switch -c topic`.',
  'git/skip-checks': 'Let the checks run, and fix what they report: `git commit -m "fix: name"`.',
  'git/add-secret': 'Add the example: `git add .env.example`.',
  'git/message': 'Describe the change without values: `git commit -m "chore: rotate the key"`.',
} as const
const finding = findingOf(ALTERNATIVES)

/** Variables with which programs for hooks skip them. */
const SKIPS =
  /^(?:HUSKY=0|HUSKY_SKIP_HOOKS=.|SKIP=.|LEFTHOOK=(?:0|false)|OVERCOMMIT_DISABLE=.|PRE_COMMIT_ALLOW_NO_CONFIG=.)/

export const git: Guard = {
  name: 'git',
  summary: 'protected branches, skipped checks, and secrets in the index or in messages',
  options: {
    protected: {
      type: 'list',
      about: 'branches that nobody pushes to or commits on; * is any text',
      default: ['main', 'master', 'release/*'],
    },
    commits: { type: 'switch', about: 'ask before a commit on a protected branch', default: false },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options, place): Judgement {
    const command = commandOf(payload)
    if (command === undefined) return { findings: [] }
    const findings: Finding[] = []
    const isProtected = (branch: string) => fitsAny(listOf(options, 'protected'), branch)
    for (const { name, args, assignments, cwd } of readCommand(command, place).calls) {
      if (name !== 'git') continue
      const texts = args.map(({ text }) => text)
      const call = new GitCommand(texts)
      const { name: verb, operands, config } = call
      if (texts.includes('--help') || call.has('', 'dry-run')) continue
      const branch = () => currentBranch(resolve(cwd ?? place.cwd, ...call.folders))
      if (verb === 'push') {
        const all = ['all', 'mirror', 'branches'].find(option => call.has('', option))
        const targets = operands.slice(1).map(text => text.replace(/^\+?(?:.*:)?(?:refs\/heads\/)?/, ''))
        const named = targets.length > 0 ? targets : ['HEAD']
        const hit = named
          .map(text => (/^(?:HEAD|@)$/.test(text) ? (branch() ?? text) : text))
          .find(isProtected)
        if (all) findings.push(finding('git/protected-push', `--${all} pushes protected branches too.`))
        else if (hit) findings.push(finding('git/protected-push', `"${hit}" is a protected branch.`))
        else if (targets.some(text => /[*]/.test(text) || text.includes(UNKNOWN)))
          findings.push(finding('git/protected-push', 'It may push a protected branch.', 'ask'))
      }
      const hasHooks = /^(?:commit|push|merge|am|rebase|cherry-pick|revert)$/.test(verb)
      const isSkipping =
        call.option(/^no-ver(?:i(?:fy?)?)?$/) !== undefined ||
        (verb === 'commit' && call.has('n')) ||
        assignments.some(text => SKIPS.test(text))
      if (hasHooks && isSkipping)
        findings.push(finding('git/skip-checks', 'It skips the checks of the repository.'))
      if (
        config.has('core.hookspath') ||
        (verb === 'config' && /^core\.hookspath \S/i.test(operands.join(' ')))
      )
        findings.push(finding('git/skip-checks', 'It turns off the hooks of the repository.'))
      if (verb === 'commit' && options.commits === true && isProtected(branch() ?? ''))
        findings.push(finding('git/protected-commit', `"${branch()}" is a protected branch.`, 'ask'))
      if (verb === 'add' || verb === 'stage')
        for (const text of operands)
          if (['key', 'environment'].includes(secretOf(text) ?? ''))
            findings.push(finding('git/add-secret', `${text} holds secrets.`))
      const [secret] = /^(?:commit|tag|notes)$/.test(verb) ? texts.flatMap(text => findSecrets(text)) : []
      if (secret) findings.push(finding('git/message', `The message has ${secret.kind}.`))
    }
    return { findings }
  },
}

/** From the HEAD of the repository that contains the folder; a worktree has its own. */
function currentBranch(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    for (const file of [join(at, '.git', 'HEAD'), join(at, '.git')])
      try {
        const text = readFileSync(file, 'utf8')
        const [, linked] = /^gitdir: (.+)$/m.exec(text) ?? []
        const head = linked === undefined ? text : readFileSync(join(resolve(at, linked), 'HEAD'), 'utf8')
        return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]
      } catch {
        // Not here; look further up.
      }
    if (at === dirname(at)) return undefined
  }
}
