// The native client as npm packages, one for each platform. They are not workspaces: npm refuses to install a workspace
// for another platform, and optional dependencies must be in a registry.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_NAME, clientPath } from './build-client.mjs'
import { root } from './steps.mjs'

/** Those of .github/workflows/release.yml. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

const MANIFEST = join(root, 'packages/cli/package.json')

export const nameFor = platform => `@holdfast/client-${platform}`

export const hasClient = platform => existsSync(join(root, clientPath(platform)))

/** Writes the package of this platform into a folder. */
export function writeClientPackage(platform, folder) {
  const { version, license, homepage, bugs, repository } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
  const [os, cpu] = platform.split('-')
  const manifest = {
    name: nameFor(platform),
    version,
    description: `The native client of Holdfast for ${platform}. The package holdfast installs it.`,
    keywords: ['hooks', 'coding-agent'],
    license,
    homepage,
    bugs,
    repository: { ...repository, directory: 'packages/cli/client' },
    os: [os],
    cpu: [cpu],
    type: 'commonjs',
    files: [CLIENT_NAME],
    // A program in an archive cannot be started.
    preferUnplugged: true,
    publishConfig: { access: 'public', provenance: true },
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(
    join(folder, 'README.md'),
    `# ${manifest.name}\n\nThe program that coding agents start in place of Node, for ${platform}. The package [holdfast](${homepage}) installs it;\n\`holdfast install\` writes the entries that call it. Without this package, each event starts Node.\n`,
  )
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(root, clientPath(platform)), join(folder, CLIENT_NAME))
  // Artefacts of a workflow lose this bit.
  chmodSync(join(folder, CLIENT_NAME), 0o755)
}

/** While `work` packs or publishes, the package holdfast names these clients as optional dependencies. */
export async function withClients(platforms, work, file = MANIFEST) {
  const before = readFileSync(file, 'utf8')
  const { dependencies, ...manifest } = JSON.parse(before)
  const clients = Object.fromEntries(platforms.map(platform => [nameFor(platform), manifest.version]))
  writeFileSync(
    file,
    `${JSON.stringify({ ...manifest, dependencies, optionalDependencies: clients }, null, 2)}\n`,
  )
  try {
    return await work()
  } finally {
    writeFileSync(file, before)
  }
}
