export const text = `  holdfast keys [show]     the team's keys, and where each is kept
  holdfast keys new FILE   a new key in a file; prints its public half
  holdfast keys sign       sign the release that waits, with a key that the server does not have
  holdfast keys rotate     put a new key in the place of one, in the next version of trust

  A team whose release key is not on the server starts it with --release-key; every release then waits
  until somebody signs it. The recovery key signs what no other root key can.

    --server ADDRESS   the team server; also from HOLDFAST_SERVER
    --key FILE         the key that signs
    --release NUMBER   with sign: which one (otherwise the one that waits)
    --use NAME         with rotate: release, lease or root
    --public HEX       with rotate: the public half of a key that is kept elsewhere
    --new-epoch        with rotate: end the numbering of a key that was stolen
    --json, --color, --no-color

  Who you are is said by a token, which the pages of the server give: HOLDFAST_TOKEN=hfp_\u2026

  Exit code
    0 done, 1 refused

  Examples
    holdfast keys new release.key
    HOLDFAST_TOKEN=hfp_\u2026 holdfast keys sign --server https://hooks.example.com --key release.key
`
