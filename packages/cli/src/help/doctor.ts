import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast doctor   run every hook with a harmless event, and list those that fail or fail open

  For each hook, doctor checks its script, execute bit, interpreter, trust and matcher. Then it
  runs the hook with a canary, a harmless event, and shows the response, duration, exit code and
  stderr, and the effect of a failure on the action.

  The hooks run for real, one at a time, with their side effects; prompt hooks call their model.
  A hook can detect a canary: HOLDFAST_CANARY is 1, and the conversation is holdfast-canary. The
  file that a canary names is created in the project and removed afterwards. Nothing is logged.
  PATH is that of this terminal; an editor may have another one.

  Doctor also checks the agents into which the hooks were installed: whether every entry is
  there, and whether codex trusts them. Codex skips hooks that it does not trust.

    --no-run           check only, run nothing
    --event NAME       only hooks of this event; hooks that set session variables run first
    --timeout SECONDS  time limit of one hook for its canary (default: 10)

  Marks
    \u2713  well           !  failed, or never runs      \u2717  cannot run
    ?  responds, but its matcher matches no sample    \u2013  not run

${WORKSPACE}
${OUTPUT}
  Exit code
    0  no trouble (there may be notes, fail-open hooks and hooks with the mark ?)
    1  trouble: a hook cannot run, failed, never runs or is not trusted, a file has errors,
       a required source is missing, an agent lacks or skips entries, or there are no hooks;
       or the call is wrong

  Examples
    holdfast doctor
    holdfast doctor --event beforeShellExecution --json
    holdfast doctor --no-run --trust-all
`
