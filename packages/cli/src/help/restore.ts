export const text = `  holdfast restore --from FILE   make a backup the database of a team server

  The backup is verified first. The database must not contain a team: nothing is overwritten.

    --from FILE        the backup, made by holdfast backup
    --database PLACE   a new file, or an empty postgres://user@host/name; also from HOLDFAST_DATABASE
                       (default: ~/.holdfast/server/team.db)
    --home DIR, --json, --color, --no-color

  Exit code
    0 done, 1 not done, and nothing written

  Examples
    holdfast restore --from team-backup.db --database team.db
    holdfast restore --from team-backup.db --database postgres://holdfast@db/holdfast
`
