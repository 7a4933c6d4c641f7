// npm run pack: every package as a tarball in artefacts/packages, and the command that installs the holdfast command from them.

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from './build.mjs'
import { hasClient, PLATFORMS, withClients, writeClientPackage } from './client-packages.mjs'
import { install, main, root, run, step } from './steps.mjs'

const OWN = `client-${process.platform}-${process.arch}-`
const target = join(root, 'artefacts/packages')

await main(async () => {
  await install()
  await build()
  await step('packages', async () => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    const clients = PLATFORMS.filter(hasClient)
    for (const platform of clients) {
      const folder = join(root, 'artefacts/clients', platform)
      writeClientPackage(platform, folder)
      await run('npm', ['pack', '--pack-destination', target], { quiet: true, cwd: folder })
    }
    await withClients(clients, () =>
      run('npm', ['pack', '--workspaces', '--pack-destination', target], { quiet: true }),
    )
  })
  const isOther = name => PLATFORMS.some(one => name.includes(`client-${one}-`)) && !name.includes(OWN)
  const files = readdirSync(target).filter(name => !name.startsWith('holdfast-server') && !isOther(name))
  const paths = files.map(name => `./${relative(root, join(target, name))}`)
  process.stdout.write(`\nInstall the command:\n  npm install -g ${paths.join(' ')}\n`)
})
