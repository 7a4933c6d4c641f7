export const text = `  holdfast audit verify   prove that the trail of admin actions is whole

  Fetches every action and follows the chain of hashes from the first to the last, with this machine's
  own code; what devices have witnessed of the chain is held against it.

    --server ADDRESS   the team server; also from HOLDFAST_SERVER
    --json, --color, --no-color

  Exit code
    0 whole; 1 altered, missing, forked or cut off, and where

  Example
    HOLDFAST_TOKEN=hfp_\u2026 holdfast audit verify --server https://hooks.example.com
`
