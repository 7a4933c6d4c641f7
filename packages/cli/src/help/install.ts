export const text = `  holdfast install <agent> [options]     your hooks in another agent
  holdfast uninstall <agent> [options]   out of it again, byte for byte

  Adds one entry for each event to the agent's settings; each calls holdfast bridge <agent>. Entries,
  comments and the layout of others stay as they are. Shows what the agent cannot carry, and refuses
  when it would not obey a hook that denies.

  Agents
    claude-code, codex, gemini, copilot, qwen

    --user             into your own settings; this is the default
    --project          into those of the project, for everyone who works in it
    --accept-loss      install although the agent would not obey some hooks
    --dry-run          show what would change

    --root DIR         project folder (otherwise this folder, or the nearest above it with .cursor or .git)
    --home DIR         home folder
    --json, --color, --no-color

  Exit code
    0 done; 1 nothing was written because something is wrong

  Examples
    holdfast install claude-code --dry-run
    holdfast install gemini
    holdfast uninstall gemini
`
