import { FIELDS, OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast fire <event> [fields]   run the hooks of an event and show the verdict

${FIELDS}
${WORKSPACE}
${OUTPUT}    --no-log           do not write to the log; what a team wants to hear of is kept for it
                       all the same

  Several versions at once
    --profile all      or names with commas between them, such as cursor-2.3,cursor-3: one row for each
                       version, with what hooks receive there, what of their answers counts and what
                       comes out. Each hook really runs once per version, one after the other, with
                       all that it does; nothing of it is written to the log.

  Exit code
    0  may proceed      2  denied      3  a hook wants to ask      1  the call or a hooks file is wrong
    With several versions: that of holdfast when it is among them, else that of the first.

  Examples
    holdfast fire beforeShellExecution --command "git push --force"
    holdfast fire preToolUse --tool-name Shell --tool-input '{"command":"ls"}' --json
    echo '{"hook_event_name":"stop","status":"completed"}' | holdfast fire --payload -
    holdfast fire beforeSubmitPrompt --prompt "deploy" --profile all
`
