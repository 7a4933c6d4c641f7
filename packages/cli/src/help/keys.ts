export const text = `  holdfast keys [show]          list the team's keys, and where each is kept
  holdfast keys show FILE       show a key or a proposal; without network
  holdfast keys create FILE     create a key; prints its public half; without network
  holdfast keys verify          verify that a key is one of the team
  holdfast keys sign            sign the release that waits, with a release key that the server does not have
  holdfast keys propose FILE    write a change of the team's keys to a file
  holdfast keys sign FILE       sign a proposal with a root key; without network
  holdfast keys combine FILE FILE
                                add the signatures of other files to the first one; without network
  holdfast keys submit FILE     put a signed proposal into effect

  The server never has a root key. Enough root keys must sign each change of the team's keys.

    --server ADDRESS      the team server; also from HOLDFAST_SERVER
    --key FILE            with sign and verify: the key
    --release NUMBER      with sign: the release (default: the one that waits)
    --fingerprint DIGITS  with propose: of the team, as shown at the first start
    --release-key HEX     with propose: a new release key by its public half, or "server" for a key of the server
    --new-lease-key       with propose: a new lease key of the server
    --root-key HEX        with propose: a root key by its public half; several times, for all of them
    --root-threshold N    with propose: how many root keys must sign
    --kill yes|no         with propose: whether the server may use the kill switch
    --kill-satisfies-required yes|no
                          with propose: whether killed hooks satisfy an agent that requires the team
    --new-epoch           with propose: invalidate the numbers that a stolen release key may have used
    --json, --color, --no-color

  Calls of the server need a token from its pages: HOLDFAST_TOKEN=hfp_\u2026

  Exit code
    0 done, 1 refused

  Examples
    holdfast keys create root-1.key
    HOLDFAST_TOKEN=hfp_\u2026 holdfast keys sign --server https://hooks.example.com --key release.key
`
