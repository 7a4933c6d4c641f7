export const text = `  holdfast schema [hooks | payload EVENT | answer EVENT | list]   print a JSON Schema

    hooks              hooks.json itself; this is what you get without a word
    payload EVENT      what a hook of the event reads on stdin
    answer EVENT       what it may print on stdout
    list               the names of all schemas

  holdfast schema --install   completion and explanations for hooks.json in editors

    Puts a copy of the schema beside hooks.json, tells .vscode/settings.json about it and leads the
    $schema line of hooks.json to it. What else stands in these files stays as it is.

    --dry-run          show what would be written, and write nothing
    --undo             take it back, byte for byte
    --root DIR         project folder
    --home DIR         home folder; holds what is needed for --undo, under .holdfast
    --json             for programs

  Examples
    holdfast schema
    holdfast schema payload beforeShellExecution
    holdfast schema answer preToolUse
    holdfast schema --install
`
