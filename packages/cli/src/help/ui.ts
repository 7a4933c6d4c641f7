import { WORKSPACE } from './parts.js'

export const text = `  holdfast ui   the Hooks panel, in the browser of this machine

  What is configured and what is wrong with it; what ran and what it said, live;
  conversations as timelines; events to fire; hooks to trust and to edit; and how they
  fare in other versions. It listens on this machine only. Its link works once, within
  a minute.

    --port N           a port of your choice; a free one unless told
    --no-open          do not open a browser

${WORKSPACE}
  Output
    --json             {"link", "port", "pid"}, and no browser; again for every line on stdin
    --color, --no-color

  On a terminal a browser opens, and Enter prints a fresh link. Ctrl-C stops the panel,
  and no link or page of it works any more.

  Exit codes: 0 it was stopped, 1 it could not be started.

  Examples
    holdfast ui
    holdfast ui --port 4321 --no-open
    holdfast ui --root ../other-project
`
