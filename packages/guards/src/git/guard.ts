// What a team expects of commits: protected branches, checks that run, and no secrets in the index.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, findingOf, fitsAny, type Guard, type Judgement, listOf } from '../guard.js'
import { commandOf } from '../payload.js'
import { findSecrets } from '../secrets/find.js'
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
    const protectedBranches = listOf(options, 'protected')
    for (const { name, args, cwd } of readCommand(command, place).calls) {
      if (name !== 'git') continue
      const texts = args.map(({ text }) => text)
      const at = texts.findIndex(
        (text, index) => !text.startsWith('-') && !/^-[cC]$/.test(texts[index - 1] ?? ''),
      )
      const verb = texts[at]
      const rest = texts.slice(at + 1)
      const operands = rest.filter(text => !text.startsWith('-'))
      if (rest.some(text => /^--(?:dry-run|help)$/.test(text))) continue
      const branch = () => currentBranch(cwd ?? place.cwd, place.root)
      if (verb === 'push') {
        const targets = operands.slice(1).map(text =>
          text
            .replace(/^\+/, '')
            .replace(/^.*:/, '')
            .replace(/^refs\/heads\//, ''),
        )
        const named =
          targets.length > 0
            ? targets.map(text => (text === 'HEAD' ? (branch() ?? text) : text))
            : [branch() ?? '']
        const hit = named.find(text => fitsAny(protectedBranches, text))
        if (hit) findings.push(finding('git/protected-push', `"${hit}" is a protected branch.`))
      }
      if (
        /^(?:commit|push|merge|am|rebase|cherry-pick|revert)$/.test(verb ?? '') &&
        rest.some(text => text === '--no-verify' || (verb === 'commit' && /^-[a-z]*n/.test(text)))
      )
        findings.push(finding('git/skip-checks', 'It skips the checks of the repository.'))
      if (
        texts.slice(0, at).some(text => /^core\.hookspath=/i.test(text)) ||
        (verb === 'config' && rest.some(text => /^core\.hookspath$/i.test(text)) && operands.length > 1)
      )
        findings.push(finding('git/skip-checks', 'It turns the hooks of the repository off.'))
      if (verb === 'commit' && options.commits === true && fitsAny(protectedBranches, branch() ?? ''))
        findings.push(finding('git/protected-commit', `"${branch()}" is a protected branch.`, 'ask'))
      if (verb === 'add' || verb === 'stage')
        for (const text of operands)
          if (['key', 'environment'].includes(secretOf(text) ?? ''))
            findings.push(finding('git/add-secret', `${text} holds secrets.`))
      if (verb === 'commit' || verb === 'tag') {
        const [secret] = rest.flatMap(text => findSecrets(text))
        if (secret) findings.push(finding('git/message', `The message has ${secret.kind}.`))
      }
    }
    return { findings }
  },
}

/** From `.git/HEAD`, in the folder or above it up to the workspace. */
function currentBranch(folder: string, root: string): string | undefined {
  for (const at of [folder, root])
    try {
      return /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(join(at, '.git', 'HEAD'), 'utf8'))?.[1]
    } catch {
      // Not a repository, or a worktree.
    }
  return undefined
}
