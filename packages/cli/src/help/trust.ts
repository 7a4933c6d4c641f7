import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast trust   review project hooks and allow them to run

  Hooks of a project run only after you have said yes to them as they are. When a hook
  or its script changes, you are asked again.

    --yes              do not ask
    --list             show all project hooks and whether they are trusted
    --revoke           trust no hook of this project any more

${WORKSPACE.replace(/ {4}--trust-all.*\n/, '')}
${OUTPUT}
  Examples
    holdfast trust
    holdfast trust --list
    holdfast trust --revoke
`
