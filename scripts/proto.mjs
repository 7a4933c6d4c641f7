// The TypeScript of the protobuf files, written anew.

import { rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { bin, root, run } from './steps.mjs'

export async function generateProto() {
  for (const name of ['team', 'web']) await generateIn(join(root, 'packages', name))
}

async function generateIn(folder) {
  const buf = args =>
    run(process.execPath, [bin('@bufbuild/buf/bin/buf'), ...args], {
      cwd: folder,
      quiet: true,
      env: { PATH: [bin('.bin'), process.env.PATH].join(delimiter) },
    })
  await buf(['lint'])
  rmSync(join(folder, 'src/gen'), { recursive: true, force: true })
  await buf(['generate'])
}
