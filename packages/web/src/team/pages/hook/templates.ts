// Templates for a first hook, by purpose. Each is complete and passes the checks of the server.

import { EMPTY, type Form } from './form.js'

export interface Template {
  readonly name: string
  readonly about: string
  /** The payload field that its event is about. */
  readonly subject: string
  readonly form: Form
}

/** Holdfast itself needs Node, so that every device can run it. */
const script = (denies: string, read: string) => `#!/usr/bin/env node
// Reads one event as JSON and prints one response as JSON. {} abstains.
const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
${read}
console.log(JSON.stringify(${denies}))
`

const response = (condition: string, permission: string, user: string, agent: string) => `${condition}
  ? {
      permission: '${permission}',
      user_message: '${user}',
      agent_message: '${agent}',
    }
  : {}`

const onCommand = (
  name: string,
  about: string,
  scriptName: string,
  more: Partial<Form>,
  of: string,
): Template => ({
  name,
  about,
  subject: 'command',
  form: {
    ...EMPTY,
    name,
    scriptName,
    script: script(of, "const command = event.command ?? ''"),
    ...more,
  },
})

export const TEMPLATES: readonly Template[] = [
  onCommand(
    'Block forced pushes',
    'Denies commands that rewrite the history of a remote branch.',
    'block-forced-pushes.cjs',
    { matcher: 'git push' },
    response(
      '/\\s(--force(?!-with-lease)|-f)\\b/.test(command)',
      'deny',
      'Forced pushes are blocked.',
      'Push to a branch and open a pull request.',
    ),
  ),
  {
    name: 'Keep secrets private',
    about: 'Denies reading key files and .env files.',
    subject: 'file_path',
    form: {
      ...EMPTY,
      name: 'Keep secrets private',
      scriptName: 'keep-secrets-private.cjs',
      script: script(
        response(
          '/(^|[\\\\/])(\\.env[^\\\\/]*|id_(rsa|ed25519)|[^\\\\/]+\\.pem)$/.test(file)',
          'deny',
          'This file holds secrets.',
          'Ask the user for the values that you need.',
        ),
        "const file = event.file_path ?? ''",
      ),
      failClosed: 'closed',
    },
  },
  onCommand(
    'Ask before a release',
    'Asks the user before a command publishes or deploys.',
    'ask-before-release.cjs',
    { matcher: 'npm publish|gh release|terraform apply|kubectl (apply|delete)' },
    response(
      'command',
      'ask',
      'This command publishes or deploys. Continue?',
      'Wait until the user has approved the command.',
    ),
  ),
  onCommand(
    'Watch package installs',
    'Only records installs from another registry. Change the mode to enforce later.',
    'watch-installs.cjs',
    { matcher: '(npm|pnpm|yarn|pip|cargo) (install|add)', mode: 'observe' },
    response(
      '/--(registry|index-url)/.test(command)',
      'deny',
      'Packages come from the registry of the company.',
      'Install without another registry.',
    ),
  ),
  {
    name: 'Ask a model',
    about: 'Lets a model judge a command, without a script.',
    subject: 'command',
    form: {
      ...EMPTY,
      name: 'Ask a model',
      type: 'prompt',
      prompt: 'Does this command delete or overwrite data that cannot be restored? $ARGUMENTS',
      mode: 'observe',
    },
  },
]
