export const text = `  holdfast team [status]   what this machine has of its team
  holdfast team sync       fetch the team's hooks and send what waits, now
  holdfast team watch      do so whenever the server says so, and every 30 minutes, until ended
  holdfast team leave      this machine leaves the team; its hooks go away

  Hooks are taken only if the team signed them, they are not older than what is here, and every script
  has the bytes that were signed. Whatever is refused changes nothing: the last good set stays in force.

  login and sync start a watch in the background. Should it end, as when the machine restarts, the next
  event of an agent starts it again, unless the machine joined with --no-background.

    --team ID          one of several teams
    --no-background    do not start the background refresh
    --home DIR         home folder
    --json             for programs
    --color, --no-color

  Exit code
    0 all is well, 1 something was refused or failed

  Examples
    holdfast team
    holdfast team sync --json
`
