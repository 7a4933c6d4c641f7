// Writes the TypeScript of the protobuf files. Its 130 MB of programs are installed on demand, as nothing else needs them.

import { rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { bin, installOnDemand, root, run } from './steps.mjs'

const PROGRAMS = ['@bufbuild/buf@1.74.0', '@bufbuild/protoc-gen-es@2.13.0']

export async function generateProto() {
  await installOnDemand('buf', PROGRAMS)
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
