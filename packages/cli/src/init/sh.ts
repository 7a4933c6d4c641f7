// The hook as a shell script. A shell cannot read JSON, so the script uses a program of the machine; a guard without
// one denies.

import { type Job, namesOf } from './job.js'
import type { Hook } from './language.js'

export function shHook(name: string, jobs: readonly Job[]): Hook {
  return {
    command: path => path,
    script: `${name}.sh`,
    files: [{ name: `${name}.sh`, text: script(`${name}.sh`, jobs) }],
  }
}

const script = (name: string, jobs: readonly Job[]): string =>
  [
    '#!/bin/sh',
    '# A hook: it reads one JSON object on stdin and prints one on stdout. {} abstains.',
    `# Its tests are beside it in ${name.replace(/\.sh$/, '')}.hooks-test.yaml; run them with: holdfast test`,
    '',
    'input=$(cat)',
    '',
    '# The value of a field, under the first of these names that exists.',
    'field() {',
    '  if command -v jq >/dev/null 2>&1; then',
    `    printf '%s' "$input" | jq -er --slurp --arg names "$*" '`,
    '      if length == 1 then .[0] else error end',
    '      | [.[$names | split(" ")[]] | select(. != null)] | first | select(. != null)',
    `      | if type == "string" then . else tojson end' 2>/dev/null`,
    '  elif command -v python3 >/dev/null 2>&1; then',
    `    printf '%s' "$input" | python3 -c '`,
    'import json, sys',
    'data = json.loads(sys.stdin.buffer.read())',
    'value = [data[name] for name in sys.argv[1:] if data.get(name) is not None][0]',
    `print(value if isinstance(value, str) else json.dumps(value))' "$@" 2>/dev/null`,
    '  elif command -v node >/dev/null 2>&1; then',
    `    printf '%s' "$input" | node -e '`,
    '      const data = JSON.parse(require("fs").readFileSync(0, "utf8"))',
    '      const value = process.argv.slice(1).map(name => data[name]).find(value => value != null)',
    '      if (value === undefined) process.exit(1)',
    `      console.log(typeof value === "string" ? value : JSON.stringify(value))' "$@" 2>/dev/null`,
    '  else',
    '    return 1',
    '  fi',
    '}',
    '',
    ...answerFunctions(name, jobs),
    'event=$(field hook_event_name) || unreadable hook_event_name',
    '',
    'case $event in',
    ...jobs.flatMap(job => [`  ${job.spec.name})`, ...body(job).map(line => `    ${line}`), '    ;;']),
    `  *) echo "${name} does not handle $event." >&2 ;;`,
    'esac',
    '',
    "echo '{}'",
    '',
  ].join('\n')

function answerFunctions(name: string, jobs: readonly Job[]): string[] {
  const guards = jobs.some(({ kind }) => kind === 'guard')
  const refusal = {
    permission: 'deny',
    continue: false,
    user_message: `The hook ${name} could not read its payload. Run it by hand to see why.`,
  }
  return [
    'answer() {',
    `  printf '%s\\n' "$1"`,
    '  exit 0',
    '}',
    '',
    guards ? '# A guard that cannot read its payload denies.' : '# This hook blocks nothing.',
    'unreadable() {',
    `  echo "${name} could not read $1. To read JSON it needs jq, python3 or node." >&2`,
    `  answer ${quoted(guards ? refusal : {})}`,
    '}',
    '',
    ...(guards ? FOUND : []),
  ]
}

const FOUND = [
  '# grep exits with 2 for an invalid pattern, which is not the same as no match.',
  'found() {',
  `  printf '%s' "$2" | tr '\\n' ' ' | grep -Eq -e "$1"`,
  '  status=$?',
  '  [ $status -lt 2 ] || unreadable "the pattern $1"',
  '  return $status',
  '}',
  '',
]

function body(job: Job): string[] {
  const { spec } = job
  switch (job.kind) {
    case 'guard': {
      const { field, pattern, user, agent } = job.rule
      const denial = {
        ...(spec.gate === 'permission' ? { permission: 'deny' } : { continue: false }),
        user_message: user,
        ...('agent_message' in spec.answer ? { agent_message: agent } : {}),
      }
      return [
        `${field}=$(field ${namesOf(field, spec).join(' ')}) || unreadable ${field}`,
        `if found '${pattern}' "$${field}"; then`,
        `  answer ${quoted(denial)}`,
        'fi',
      ]
    }
    case 'followup':
      return [
        '# Once: loop_count counts the follow-ups since the last message of the user.',
        'if [ "$(field status)" = completed ] && [ "$(field loop_count)" = 0 ]; then',
        `  answer ${quoted({ followup_message: job.text })}`,
        'fi',
      ]
    case 'context':
      return [`answer ${quoted({ additional_context: job.text })}`]
    case 'notice':
      return [`answer ${quoted({ user_message: job.text })}`]
    case 'audit': {
      const what =
        job.field === null ? '' : ` "$(field ${namesOf(job.field, spec).join(' ')} | tr '\\n' ' ')"`
      return [
        'mkdir -p "$HOME/.holdfast"',
        `printf '%s ${spec.name}${what === '' ? '' : ' %s'}\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"${what} >>"$HOME/.holdfast/audit.log"`,
      ]
    }
  }
}

/** JSON in single quotes; our texts contain none. */
const quoted = (answer: unknown) => `'${JSON.stringify(answer)}'`
