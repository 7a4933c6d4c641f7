import { FIELDS, OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast explain <event> [fields]   show which hooks would run, and why, without running them
  holdfast explain shell COMMAND      show what the shell guard reads in a command, and decides

${FIELDS}
${WORKSPACE}
${OUTPUT}
  Examples
    holdfast explain beforeShellExecution --command "curl https://example.com"
    holdfast explain shell "sudo rm -rf /var/log"
    holdfast explain beforeReadFile --file-path .env --profile cursor-2.4
`
