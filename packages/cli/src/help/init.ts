import { OUTPUT } from './parts.js'

export const text = `  holdfast init   write a first hook, with its test

  On a terminal it asks; with --yes it takes what the flags say. What it will write is shown first.
  Nothing is overwritten: entries are added to hooks.json, and everything else in it stays as it is.
  The hooks that it writes are trusted.

    --project          for everybody who works here: .cursor/hooks.json (otherwise asked for, or this)
    --user             for yourself, in every project: ~/.cursor/hooks.json
    --language NAME    typescript, python or bash; bash when nobody says
    --events A,B       the events to handle; may be given several times
                       (otherwise a guard of shell commands, a record of edits, a last word)
    --example NAME     a finished hook with its cases; may be given several times
    --list             show the examples
    --yes              write it without asking
    --dry-run          show what would be written, and write nothing
    --undo             take the last init back, byte for byte; again for the one before

    --root DIR         project folder
                       (otherwise this folder, or the nearest above it with .cursor or .git)
    --home DIR         home folder; also holds what is needed for --undo, under .holdfast

${OUTPUT}
  Exit code
    0  written, or all there already    1  nothing was written, or something could not be undone

  Examples
    holdfast init
    holdfast init --language python --events beforeShellExecution,stop --yes
    holdfast init --user --dry-run
    holdfast init --undo
`
