export const text = `  holdfast login ADDRESS   this machine joins a team

  Opens a sign-in by code: you approve this machine on a page of the team server, then its hooks come
  and go on coming. What a team may do on this machine is what its hooks do; you are told at the first
  ones, and may leave at any time.

    --key KEY          an enrolment key instead of a person; also from HOLDFAST_ENROLMENT_KEY
    --fingerprint TEXT join only the team that has this fingerprint
    --yes              do not ask after the notice
    --no-background    do not start the background refresh
    --home DIR         home folder
    --json             for programs
    --color, --no-color

  Exit code
    0 joined, 1 not joined or its hooks were refused

  Examples
    holdfast login https://hooks.example.com
    HOLDFAST_ENROLMENT_KEY=hfe_\u2026 holdfast login https://hooks.example.com --yes
`
