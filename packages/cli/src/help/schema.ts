export const text = `  holdfast schema [hooks | payload EVENT | answer EVENT | list]   print a JSON Schema

    hooks              hooks.json itself; this is what you get without a word
    payload EVENT      what a hook of the event reads on stdin
    answer EVENT       what it may print on stdout
    list               the names of all schemas

  Examples
    holdfast schema
    holdfast schema payload beforeShellExecution
    holdfast schema answer preToolUse
`
