export const text = `  holdfast add           list the ready guards
  holdfast add <guard>   switch one on

  shell   destructive shell commands, code from the network, and commands that leak secrets

    --project          in the hooks.json of this project (default)
    --user             in your own, for every project
    --dry-run          show what would be written
    --root DIR, --home DIR

  Options of the guards are in holdfast.json beside hooks.json:
    { "guards": { "shell": { "strength": "deny", "topics": ["files", "git", "kubernetes"] } } }
  strength: deny, ask, or audit, which only reports. topics: files, git, disk, system, execution and secrets
  (default), databases, containers, kubernetes, terraform, cloud, ci, publishing, services.

  Output
    --json             for programs
    --color, --no-color

  Exit code
    0  on, or on already    1  nothing was written

  Examples
    holdfast add
    holdfast add shell --user
    holdfast explain shell "find . -name '*.log' -delete"
`
