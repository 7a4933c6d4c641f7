import { OUTPUT, WORKSPACE } from './parts.js'

const OWN_PROFILE = / {4}--profile NAME.*\n| {4}--(?:required).*\n/g

export const text = `  holdfast compat [FILE \u2026]   list what does not work in which versions, and how to write it for all

  Compares every hooks.json that counts here, or the files given, with the tables of versions.
  Nothing is run. A finding that depends on what a script does is listed apart, as possible.

    --run              fire sample events in every version and compare the results. The hooks
                       run for real, about 30 times each, with HOLDFAST_CANARY=1; untrusted
                       hooks and prompt hooks do not run, and nothing is logged
    --profile NAMES    only these versions, separated by commas (default: all):
                       cursor-1.7, cursor-2.1, cursor-2.3, cursor-2.4, cursor-3, holdfast

  In the table
    works              no proven difference
    differs            it works, in another way
    weaker             an action that it blocks can proceed
    nothing            it does not run, or its response has no effect

${WORKSPACE.replace(OWN_PROFILE, '')}
${OUTPUT}
  Exit code
    0  works in all versions asked for, perhaps in another way; possible findings do not count
    1  something does nothing or is weaker in one of them, a file or an entry cannot be read,
       or the call is wrong

  Examples
    holdfast compat
    holdfast compat --run --profile cursor-2.4,cursor-3
    holdfast compat .cursor/hooks.json --json
`
