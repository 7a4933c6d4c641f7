// Where a first hook can begin: the same guard in three languages. Each is whole, and does something.

import { EMPTY, type Form } from './form.js'

export interface Template {
  readonly name: string
  readonly about: string
  form(event: string): Form
}

const SH = `#!/bin/sh
# Reads one event as JSON, answers with JSON. Saying {} means: no opinion.
payload=$(cat)
case $payload in
  *"push --force"*)
    echo '{"permission": "deny", "user_message": "No forced pushes in this team.", "agent_message": "Push to a branch and open a pull request."}' ;;
  *)
    echo '{}' ;;
esac
`

const PYTHON = `#!/usr/bin/env python3
"""Reads one event as JSON, answers with JSON. Saying {} means: no opinion."""
import json
import re
import sys

event = json.load(sys.stdin)
command = event.get("command", "")

if re.search(r"\\bpush\\b.*--force(?!-with-lease)", command):
    print(json.dumps({
        "permission": "deny",
        "user_message": "No forced pushes in this team.",
        "agent_message": "Push to a branch and open a pull request.",
    }))
else:
    print("{}")
`

const SCRIPT = `#!/usr/bin/env node
// Reads one event as JSON, answers with JSON. Saying {} means: no opinion.
// Written in TypeScript? "holdfast build guard.ts" makes one file without dependencies; put that one here.
const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const command = event.command ?? ''

const answer = /\\bpush\\b.*--force(?!-with-lease)/.test(command)
  ? {
      permission: 'deny',
      user_message: 'No forced pushes in this team.',
      agent_message: 'Push to a branch and open a pull request.',
    }
  : {}
console.log(JSON.stringify(answer))
`

const template = (name: string, about: string, scriptName: string, script: string): Template => ({
  name,
  about,
  form: event => ({ ...EMPTY, name: 'No forced pushes', event, scriptName, script }),
})

export const TEMPLATES: readonly Template[] = [
  template('sh', 'Runs everywhere but on Windows.', 'no-forced-pushes.sh', SH),
  template('Python', 'Needs Python 3 on every machine.', 'no-forced-pushes.py', PYTHON),
  template(
    'JavaScript',
    'Needs Node.js; also what TypeScript is built into.',
    'no-forced-pushes.cjs',
    SCRIPT,
  ),
  {
    name: 'A question to a model',
    about: 'No program: a model is asked in words.',
    form: event => ({
      ...EMPTY,
      name: 'Careful with data',
      event,
      type: 'prompt',
      prompt: 'Does this command delete or overwrite data that cannot be made again? $ARGUMENTS',
      mode: 'observe',
    }),
  },
]
