export const text = `  holdfast log   show the last runs

    --limit N          how many; 20 unless told
    --event NAME       only this event
    --outcome WORD     only answered, silent, failed, failed-open, allow, ask, deny
                       or observes
    --hook TEXT        only hooks whose command holds this text
    --project FOLDER   only this project: a path, such as ., or the name of its
                       folder
    --follow           go on with new runs until interrupted
    --home DIR         home folder that holds the log, under .holdfast
    --json             the records as they are stored, one per line, with the
                       path of the project
    --color, --no-color

  Examples
    holdfast log
    holdfast log --project . --outcome failed-open
    holdfast log --event beforeShellExecution --limit 100 --json
`
