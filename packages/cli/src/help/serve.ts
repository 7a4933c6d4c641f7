export const text = `  holdfast serve        the team server: signed hooks for a fleet, and the trail of what they did
  holdfast serve move   move a team from one database to another
  holdfast serve undo-migration
                        undo the newest change of the tables, for the version of the server before

  The first start creates the team, shows its root keys once, and gives a link that makes you its owner.

    --database PLACE      a file, or postgres://user@host/name; also from HOLDFAST_DATABASE
                          (otherwise ~/.holdfast/server/team.db)
    --listen-database URL a direct connection for notifications, where --database is behind a pooler
    --host ADDRESS        127.0.0.1 unless said
    --port NUMBER         8420 unless said
    --url ADDRESS         where people and devices reach it, such as https://hooks.example.com
    --proxies NUMBER      reverse proxies before it that name the caller; none unless said
    --name TEXT           the name of the team, at the first start
    --secret-file FILE    what its keys are hidden under (otherwise beside the database file);
                          several servers on one database share it; also from HOLDFAST_SECRET
    --release-key HEX     at the first start: the public half of a release key that is kept elsewhere
    --root-key HEX        at the first start: the public half of a root key that is kept elsewhere; two or more
    --root-threshold N    at the first start: how many root keys must sign a change of keys (default: 1)
    --kill yes|no         at the first start: whether the server may use the kill switch
                          (default: yes, unless --release-key is given)
    --owner-link          a new link for an owner, for who has lost the way in
    --oidc-issuer URL, --oidc-client ID, --oidc-domain DOMAIN
                          sign-in by OIDC; the client's secret from HOLDFAST_OIDC_SECRET
    --sign-in oidc        switch passwords off: people sign in by OIDC only
    --otlp URL            send every record on, such as http://127.0.0.1:4318/v1/logs
    --to PLACE            with move: the new database, which must be empty
    --home DIR, --json, --color, --no-color

  Exit code
    0 ended by a signal, 1 could not start

  Examples
    holdfast serve
    holdfast serve --database postgres://holdfast@db/holdfast --url https://hooks.example.com --proxies 1
    holdfast serve move --database team.db --to postgres://holdfast@db/holdfast
`
