export const text = `  holdfast guard shell   judge the command in a payload; the hook that "holdfast add shell" configures

  Reads the JSON of beforeShellExecution on stdin and prints a response. Exits with 2, which denies, if it
  cannot judge.

    --home DIR         home folder

  Examples
    echo '{"command": "rm -rf /"}' | holdfast guard shell
`
