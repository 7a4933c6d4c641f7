import { OUTPUT } from './parts.js'

export const text = `  holdfast test [FILE or FOLDER …]   run the cases beside the hooks

  Test files end with .hooks-test.yaml, .yml or .json. Without a name, all of this project are run.
  Each case gets a fresh copy of .cursor, a home and state of its own; nothing of yours is touched.

  Which cases, and how
    --filter TEXT      only cases with this in their name
    --profile NAME     in this version, whatever the cases say; all, or several with commas,
                       shows one row per version: what hooks receive, what counts, what comes out
    --level LEVEL      hooks installed for the project or the user, whatever the files say
    --home DIR         home folder, where hooks.json is the person's own
    --bail             stop after the first case that fails
    --watch            run again when a test file or a hook changes
    --junit FILE       also write the results as JUnit XML

${OUTPUT}
  Exit code
    0  all passed      1  some failed      2  a test file or the call is wrong,
                                          or no case ran

  A test file
    cases:
      - name: denies a force push
        event: beforeShellExecution
        payload: { command: git push --force origin main }
        expect: { verdict: deny, user message: /force/i }

  Examples
    holdfast test
    holdfast test .cursor/hooks --filter push --watch
    holdfast test --profile all
    holdfast test --junit results.xml
`
