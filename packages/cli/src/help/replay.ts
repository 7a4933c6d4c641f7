import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast replay   run the events of the log against the hooks as they are now

  Takes the events of this project from the log, oldest first, fires each again with the
  hooks as they are now or with those of another file, and shows which verdicts change.

    --hooks FILE       with this file in the place of the project's hooks.json; its paths start
                       where those of the project do, and to name it is to trust it
    --list             only show the sessions of the log
    --session ID       only this conversation
    --since WHEN       only since then: 30m, 2h, 3d, 2026-01-31 or 2026-01-31T09:00
    --event NAME       only this event
    --limit N          the last N events; 1000 unless told
    --all              events of other projects, too

  The hooks run for real, one event after the other. What they do beside answering happens
  again; HOLDFAST_REPLAY is 1 for them. Nothing is written to the log. Each event is fired as
  the version that it was recorded under, unless --profile names another.

  The log holds the events for which a hook ran, without secrets and contents. Where a part
  of a payload was left out, a hook may say something else than it would have: such events
  are in doubt, told of apart, and do not count for the exit code.

${WORKSPACE}
${OUTPUT}
  Exit code
    0  no verdict changes      1  verdicts change
    2  the call or a hooks file is wrong, or no event could be read or replayed

  Examples
    holdfast replay
    holdfast replay --since 2d --hooks .cursor/hooks.next.json
    holdfast replay --list
`
