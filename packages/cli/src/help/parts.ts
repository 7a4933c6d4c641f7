// What the help of several commands says alike.

export const WORKSPACE = `  Where hooks are looked for
    --root DIR         project folder; may be given several times
                       (otherwise this folder, or the nearest above it with .cursor or .git)
    --home DIR         home folder; also holds the trust file and the log, under .holdfast
    --enterprise DIR   folder of the enterprise hooks.json
    --claude           read Claude settings, too
    --plugin DIR       plugin folder; may be given several times
    --required SOURCE  deny permission events unless this source is whole; several times, too
    --profile NAME     behave like a version: cursor-1.7, cursor-2.1, cursor-2.3, cursor-2.4 or cursor-3
    --trust-all        run project hooks without asking for trust
`

export const OUTPUT = `  Output
    --json             for programs
    --color, --no-color
`

export const FIELDS = `  Fields of the event
    --command TEXT, --file-path PATH, --tool-name NAME, --tool-input JSON, --prompt TEXT …
                       each field as a flag, with - for _; see: holdfast schema payload <event>
    --payload FILE     fields from a JSON file, or from stdin with -; flags win over it
`
