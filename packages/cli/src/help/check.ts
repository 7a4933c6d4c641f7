import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast check [FILE …]   find mistakes in every hooks.json, or in the files given

${WORKSPACE}
${OUTPUT}
  Exit code
    0  no errors (there may be warnings)      1  errors

  Examples
    holdfast check
    holdfast check --claude --json
    holdfast check .cursor/hooks.json
`
