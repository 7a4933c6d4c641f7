export const text = `  holdfast backup --to FILE   write everything of a team into one file, while its server runs

  The file is a consistent, verified copy: hooks, releases, people, devices, records and the trail. It works
  for SQLite and PostgreSQL, and can be restored into either. An existing file is not overwritten.
  The secret of the server is not in it.

    --database PLACE   a file, or postgres://user@host/name; also from HOLDFAST_DATABASE
                       (default: ~/.holdfast/server/team.db)
    --to FILE          the backup
    --home DIR, --json, --color, --no-color

  Exit code
    0 done, 1 not done, and nothing written

  Examples
    holdfast backup --to team-backup.db
    holdfast backup --database postgres://holdfast@db/holdfast --to team-backup.db --json
`
