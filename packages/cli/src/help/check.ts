import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast check [FILE \u2026]   find mistakes in every hooks.json, or in the files given

  A file is checked as a file of the project, plugin or repository that it is in.

${WORKSPACE}
${OUTPUT}
  Exit code
    0  no errors (there may be warnings)
    1  errors, or the call is wrong

  Examples
    holdfast check
    holdfast check --claude --json
    holdfast check .cursor/hooks.json
`
