import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast list   show all hooks, whether they can run, and when they last did

    --event NAME       only this event

${WORKSPACE}
${OUTPUT}
  Exit code
    0  listed (entries with errors may be left out)
    1  a file cannot be read, or the call is wrong

  Examples
    holdfast list
    holdfast list --event beforeShellExecution
    holdfast list --json
`
