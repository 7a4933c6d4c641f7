import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast list   show all hooks, whether they can run, and when they last did

    --event NAME       only this event

${WORKSPACE}
${OUTPUT}
  Examples
    holdfast list
    holdfast list --event beforeShellExecution
    holdfast list --json
`
