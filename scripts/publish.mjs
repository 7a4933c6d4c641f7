// Publishes all packages of which the registry does not have this version: first the native clients, which the package
// holdfast names. The release workflow calls it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasClient, nameFor, PLATFORMS, withClients, writeClientPackage } from './client-packages.mjs'
import { main, root, run } from './steps.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))

await main(async () => {
  const missing = PLATFORMS.filter(platform => !hasClient(platform))
  if (missing.length > 0)
    throw new Error(
      `There is no native client for ${missing.join(', ')}. The release workflow builds each on its platform.`,
    )
  for (const platform of PLATFORMS) {
    if (await isPublished(`${nameFor(platform)}@${version}`)) continue
    const folder = join(root, 'artefacts/clients', platform)
    writeClientPackage(platform, folder)
    await run('npm', ['publish'], { cwd: folder })
  }
  await withClients(PLATFORMS, () => run('npx', ['--yes', '@changesets/cli@3', 'publish']))
})

const isPublished = spec =>
  run('npm', ['view', spec, 'version'], { quiet: true }).then(
    output => output.trim() === version,
    () => false,
  )
