import { OUTPUT, WORKSPACE } from './parts.js'

const OWN_PROFILE = / {4}--profile NAME.*\n| {4}--(?:trust-all|required).*\n/g

export const text = `  holdfast compat [FILE \u2026]   say in which versions what will not work, and how to write it for all

  Reads every hooks.json that counts here, or the files given, and the scripts that they name.
  Nothing is run: what a script does is guessed from its text, and said so.

    --profile NAMES    only these versions, with commas between them; all of them unless told:
                       cursor-1.7, cursor-2.1, cursor-2.3, cursor-2.4, cursor-3, holdfast

  In the table
    works              as today
    differs            it works, in another way
    weaker             what it guards can pass
    nothing            it does not run, or what it says has no effect

${WORKSPACE.replace(OWN_PROFILE, '')}
${OUTPUT}
  Exit code
    0  works in all versions asked for, perhaps in another way
    1  something does nothing or is weaker in one of them, or a file or an entry cannot be read

  Examples
    holdfast compat
    holdfast compat --profile cursor-2.4,cursor-3
    holdfast compat .cursor/hooks.json --json
`
