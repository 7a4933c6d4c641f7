// Stand-ins for the programs that the agent of the demonstration calls. They print what the real ones might and
// change nothing. The real ones never start, whatever is installed on this machine.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OUTPUTS = {
  curl: 'curl 8.5.0',
  gh: 'Logged in to github.com',
  git: 'On branch main\nnothing to commit, working tree clean',
  kubectl: 'deployment.apps/web configured',
  node: 'v22.11.0',
  npm: '10.9.0',
  terraform: 'Apply complete! Resources: 1 added, 0 changed, 0 destroyed.',
}

/** Writes them into a folder, and returns it for the start of PATH. */
export function writeStandIns(folder) {
  mkdirSync(folder, { recursive: true })
  for (const [name, output] of Object.entries(OUTPUTS))
    writeFileSync(join(folder, name), `#!/bin/sh\ncat <<'EOF'\n${output}\nEOF\n`, { mode: 0o755 })
  return folder
}
