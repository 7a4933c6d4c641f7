// holdfast help: what there is, with examples that work when pasted.

import { known } from '../options.js'
import { print } from '../print/terminal.js'

export async function run(argv: readonly string[]): Promise<number> {
  const word = argv.find(argument => !argument.startsWith('-'))
  print(`\n${word === undefined ? OVERVIEW : HELP[known('command', word, Object.keys(HELP))]}\n`)
  return 0
}

const OVERVIEW = `  holdfast   hooks for coding agents: an event goes in, hooks run, one verdict comes out

  holdfast check            find mistakes in every hooks.json
  holdfast list             show all hooks, whether they can run, and when they last did
  holdfast fire <event>     run the hooks of an event and show the verdict
  holdfast explain <event>  show which hooks would run, and why, without running them
  holdfast log              show the last runs
  holdfast trust            review project hooks and allow them to run
  holdfast schema           print the JSON Schema of hooks.json, payloads and answers

  holdfast <command> --help    all about a command
  holdfast --version

  A first look
    holdfast list
    holdfast fire beforeShellExecution --command "git push --force"
`

const WORKSPACE = `  Where hooks are looked for
    --root DIR         project folder; may be given several times
                       (otherwise this folder, or the nearest above it with .cursor or .git)
    --home DIR         home folder; also holds the trust file and the log, under .holdfast
    --enterprise DIR   folder of the enterprise hooks.json
    --claude           read Claude settings, too
    --plugin DIR       plugin folder; may be given several times
    --required SOURCE  deny permission events unless this source is whole; several times, too
    --profile NAME     behave like a version: cursor-1.7, cursor-2.1, cursor-2.3, cursor-2.4 or cursor-3
    --trust-all        run project hooks without asking for trust
`

const OUTPUT = `  Output
    --json             for programs
    --color, --no-color
`

const FIELDS = `  Fields of the event
    --command TEXT, --file-path PATH, --tool-name NAME, --tool-input JSON, --prompt TEXT …
                       each field as a flag, with - for _; see: holdfast schema payload <event>
    --payload FILE     fields from a JSON file, or from stdin with -; flags win over it
`

const HELP: Readonly<Record<string, string>> = {
  fire: `  holdfast fire <event> [fields]   run the hooks of an event and show the verdict

${FIELDS}
${WORKSPACE}
${OUTPUT}    --no-log           do not write to the log

  Exit code
    0  may proceed      2  denied      3  a hook wants to ask      1  the call or a hooks file is wrong

  Examples
    holdfast fire beforeShellExecution --command "git push --force"
    holdfast fire preToolUse --tool-name Shell --tool-input '{"command":"ls"}' --json
    echo '{"hook_event_name":"stop","status":"completed"}' | holdfast fire --payload -
`,
  explain: `  holdfast explain <event> [fields]   show which hooks would run, and why, without running them

${FIELDS}
${WORKSPACE}
${OUTPUT}
  Examples
    holdfast explain beforeShellExecution --command "curl https://example.com"
    holdfast explain beforeReadFile --file-path .env --profile cursor-2.4
`,
  check: `  holdfast check [FILE …]   find mistakes in every hooks.json, or in the files given

${WORKSPACE}
${OUTPUT}
  Exit code
    0  no errors (there may be warnings)      1  errors

  Examples
    holdfast check
    holdfast check --claude --json
    holdfast check .cursor/hooks.json
`,
  list: `  holdfast list   show all hooks, whether they can run, and when they last did

    --event NAME       only this event

${WORKSPACE}
${OUTPUT}
  Examples
    holdfast list
    holdfast list --event beforeShellExecution
    holdfast list --json
`,
  log: `  holdfast log   show the last runs

    --limit N          how many; 20 unless told
    --event NAME       only this event
    --outcome WORD     only answered, silent, failed, failed-open, allow, ask or deny
    --hook TEXT        only hooks whose command holds this text
    --follow           go on with new runs until interrupted
    --home DIR         home folder that holds the log, under .holdfast
    --json             the records as they are stored, one per line
    --color, --no-color

  Examples
    holdfast log
    holdfast log --outcome failed-open
    holdfast log --event beforeShellExecution --limit 100 --json
`,
  trust: `  holdfast trust   review project hooks and allow them to run

  Hooks of a project run only after you have said yes to them as they are. When a hook
  or its script changes, you are asked again.

    --yes              do not ask
    --list             show all project hooks and whether they are trusted
    --revoke           trust no hook of this project any more

${WORKSPACE.replace(/ {4}--trust-all.*\n/, '')}
${OUTPUT}
  Examples
    holdfast trust
    holdfast trust --list
    holdfast trust --revoke
`,
  schema: `  holdfast schema [hooks | payload EVENT | answer EVENT | list]   print a JSON Schema

    hooks              hooks.json itself; this is what you get without a word
    payload EVENT      what a hook of the event reads on stdin
    answer EVENT       what it may print on stdout
    list               the names of all schemas

  Examples
    holdfast schema
    holdfast schema payload beforeShellExecution
    holdfast schema answer preToolUse
`,
  help: OVERVIEW,
}
