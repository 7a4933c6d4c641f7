import { FIELDS, OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast fire <event> [fields]   run the hooks of an event and show the verdict

${FIELDS}
${WORKSPACE}
${OUTPUT}    --no-log           do not write to the log

  Exit code
    0  may proceed      2  denied      3  a hook wants to ask      1  the call or a hooks file is wrong

  Examples
    holdfast fire beforeShellExecution --command "git push --force"
    holdfast fire preToolUse --tool-name Shell --tool-input '{"command":"ls"}' --json
    echo '{"hook_event_name":"stop","status":"completed"}' | holdfast fire --payload -
`
