// npm run pack: every package as a tarball in artefacts/packages, and the command that installs the holdfast command from them.

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from './build.mjs'
import { install, main, root, run, step } from './steps.mjs'

const target = join(root, 'artefacts/packages')

await main(async () => {
  await install()
  await build()
  await step('packages', async () => {
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    await run('npm', ['pack', '--workspaces', '--pack-destination', target], { quiet: true })
  })
  const files = readdirSync(target).filter(name => !name.startsWith('holdfast-server'))
  const paths = files.map(name => `./${relative(root, join(target, name))}`)
  process.stdout.write(`\nInstall the command:\n  npm install -g ${paths.join(' ')}\n`)
})
