import { OUTPUT, WORKSPACE } from './parts.js'

export const text = `  holdfast trust   review project hooks and allow them to run

  Project hooks run only after you have trusted them. When a hook or its script changes, it must
  be trusted again. The files are shown, or what changed in them since they were last trusted.
  Sessions of agents pin their guards, also those of the user: a guard that was
  removed or changed stops what it would have judged, until you accept the change here.

    --yes              do not ask
    --list             show all project hooks and whether they are trusted
    --revoke           trust no hook of this project any more

${WORKSPACE.replace(/ {4}--trust-all.*\n/, '')}
${OUTPUT}
  Exit code
    0  listed, or all hooks are trusted, or there are none
    1  nothing or not all was trusted, a file cannot be read, or the call is wrong

  Examples
    holdfast trust
    holdfast trust --list
    holdfast trust --revoke
`
