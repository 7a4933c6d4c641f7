// holdfast help: what there is, with examples that work when pasted.

import { text as add } from '../help/add.js'
import { text as audit } from '../help/audit.js'
import { text as backup } from '../help/backup.js'
import { text as bridge } from '../help/bridge.js'
import { text as build } from '../help/build.js'
import { text as check } from '../help/check.js'
import { text as compat } from '../help/compat.js'
import { text as doctor } from '../help/doctor.js'
import { text as explain } from '../help/explain.js'
import { text as fire } from '../help/fire.js'
import { text as guard } from '../help/guard.js'
import { text as init } from '../help/init.js'
import { text as install } from '../help/install.js'
import { text as keys } from '../help/keys.js'
import { text as list } from '../help/list.js'
import { text as log } from '../help/log.js'
import { text as login } from '../help/login.js'
import { text as mcp } from '../help/mcp.js'
import { text as replay } from '../help/replay.js'
import { text as restore } from '../help/restore.js'
import { text as schema } from '../help/schema.js'
import { text as serve } from '../help/serve.js'
import { text as team } from '../help/team.js'
import { text as test } from '../help/test.js'
import { text as trust } from '../help/trust.js'
import { text as ui } from '../help/ui.js'
import { known } from '../options.js'
import { print } from '../print/terminal.js'

export async function run(argv: readonly string[]): Promise<number> {
  const word = argv.find(argument => !argument.startsWith('-'))
  print(`\n${word === undefined ? OVERVIEW : HELP[known('command', word, Object.keys(HELP))]}\n`)
  return 0
}

const OVERVIEW = `  holdfast   hooks for coding agents: an event goes in, hooks run, one verdict comes out

  holdfast add              switch a ready guard on
  holdfast init             write a first hook, with its test
  holdfast check            find mistakes in every hooks.json
  holdfast list             show all hooks, whether they can run, and when they last did
  holdfast fire <event>     run the hooks of an event and show the verdict
  holdfast explain <event>  show which hooks would run, and why, without running them
  holdfast test             run the cases beside the hooks
  holdfast doctor           prove that every hook answers, and name those that fail open
  holdfast compat           say in which versions what will not work
  holdfast replay           run the events of the log against the hooks as they are now
  holdfast build FILE       bundle a TypeScript hook into one file
  holdfast mcp -- COMMAND   stand between an MCP client and a server
  holdfast install AGENT    your hooks in Claude Code, Codex, Gemini CLI, Copilot CLI, Qwen Code, Cursor
  holdfast log              show the last runs
  holdfast ui               the Hooks panel, in the browser of this machine
  holdfast trust            review project hooks and allow them to run
  holdfast schema           print the JSON Schema of hooks.json, payloads and answers

  holdfast serve            the team server: signed hooks for a fleet
  holdfast backup, restore  everything of a team in one verified file, and back
  holdfast login ADDRESS    this machine joins a team
  holdfast team             what this machine has of its team
  holdfast keys             the team's signing keys
  holdfast audit verify     prove that the trail of admin actions is whole

  holdfast <command> --help    all about a command
  holdfast --version

  A first look
    holdfast list
    holdfast fire beforeShellExecution --command "git push --force"
`

const HELP: Readonly<Record<string, string>> = {
  add,
  init,
  check,
  list,
  fire,
  explain,
  test,
  doctor,
  compat,
  replay,
  build,
  mcp,
  install,
  uninstall: install,
  bridge,
  guard,
  log,
  trust,
  schema,
  serve,
  backup,
  restore,
  login,
  team,
  keys,
  ui,
  audit,
  help: OVERVIEW,
}
