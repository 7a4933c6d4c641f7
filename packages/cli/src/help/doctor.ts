import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast doctor   prove that every hook answers, and name those that fail open

  For each hook: is it found, readable and executable, is its interpreter on the PATH, is it
  trusted, what does its pattern match. Then it is run with a canary, a harmless event, and
  its answer, time, exit and stderr are shown, and what a failure would do to the action.

  The hooks run for real, one after the other. What they do beside answering, such as writing
  a file or calling a service, happens; prompt hooks ask their model. They can see that it is a
  canary: HOLDFAST_CANARY is 1, and the conversation is called holdfast-canary. The file that
  a canary names is made in the project, and removed after the hook. Nothing is logged.
  The PATH is that of this terminal; an editor started elsewhere may have another.

  Agents into which the hooks were installed are looked at, too: whether every entry is there,
  and, by asking codex itself, whether it trusts them. Codex skips what it does not trust.

    --no-run           only look, run nothing
    --event NAME       only hooks of this event; those that set variables for a session run before
    --timeout SECONDS  the longest that a hook may take for its canary; 10 unless told

${WORKSPACE}
${OUTPUT}
  Exit code
    0  every hook is well (there may be notes, also about hooks that would fail open)
    1  trouble: a hook cannot run, failed its canary or is not trusted, a file has errors,
       a required source is missing, an agent lacks entries or skips them, or there are no
       hooks; or the call is wrong

  Examples
    holdfast doctor
    holdfast doctor --event beforeShellExecution --json
    holdfast doctor --no-run --trust-all
`
