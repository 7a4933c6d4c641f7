export const text = `  holdfast install <agent> [options]     your hooks in another agent
  holdfast uninstall <agent> [options]   out of it again, byte for byte

  Adds entries to the agent's settings; each calls holdfast bridge <agent>. Prompts, tool calls and the
  start of a session always have one, other events if a hook needs it. Entries, comments and the layout of
  others stay as they are. Install again when hooks are added: holdfast doctor reports what is missing.

  Agents
    claude-code, codex, gemini, copilot, qwen

    --user             into your own settings (default)
    --project          into those of the project, for everyone who works in it
    --managed          into those of the machine, which no repository can turn off; needs an administrator
                       (claude-code, codex, copilot)
    --required LIST    sources that must be intact, such as user,team; tool calls are denied if one is broken
                       (default: those with hooks that can deny)
    --accept-loss      install although the agent would not obey some hooks
    --dry-run          show what would change
    --verbose          show the limitations of the agent, too

  Cursor
    cursor             runs hooks by itself: those of the project are copied into its own files, with
                       their scripts, for every project. Install again when they have changed.

    --user             into ~/.cursor/hooks.json; this is the default
    --enterprise       into the hooks.json of the machine, for everyone on it
    --from FILE        the hooks of this hooks.json instead of those of the project
    --name NAME        what the folder of their scripts is called (otherwise like the project);
                       with uninstall: only these
    --enterprise-dir DIR   the folder of the machine's hooks.json, where it is not the usual one

  Everywhere
    --root DIR         project folder (otherwise this folder, or the nearest above it with .cursor or .git)
    --home DIR         home folder
    --json, --color, --no-color

  Exit code
    0 done; 1 nothing was written because something is wrong

  Examples
    holdfast install claude-code --dry-run
    holdfast install gemini
    holdfast uninstall gemini
    holdfast install cursor --dry-run
    sudo holdfast install cursor --enterprise --from policy/hooks.json
`
