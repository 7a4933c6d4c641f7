// `npm install -g` of the packed command as a user runs it: each supported Node, root and another user, no compiler.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CERTIFICATES, installed } from '../agents/program.js'
import { runsEverything } from '../scope.js'
import { manifestOf, PACKAGES, Project } from './packed.js'

const NOBODY = 65534
const SYSTEM = process.platform === 'win32' ? 'win' : process.platform
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']
const canChangeUser = process.getuid?.() === 0

describe.runIf(runsEverything)('npm install -g of the packed command', () => {
  let project: Project
  beforeAll(() => {
    project = new Project(PACKAGES)
    // Another user reads the tarballs.
    chmodSync(project.folder, 0o755)
  })
  afterAll(() => project.close())

  const cases = NODES.map((node, index) => ({
    node,
    user: index === 1 && canChangeUser ? 'nobody' : 'the own user',
  }))

  it.each(cases)('works on Node $node as $user', async ({ node, user }) => {
    const folder = await installed({ package: `node-${SYSTEM}-${process.arch}`, version: node })
    const machine = new Machine(join(folder, 'bin/node'), user === 'nobody' ? NOBODY : undefined)
    try {
      const tarballs = PACKAGES.filter(name => name !== 'server').map(name => project.tarballPath(name))
      expectSuccess(machine.npm('install', '-g', '--prefix', machine.prefix, ...tarballs))
      expect(sizeOf(machine.prefix)).toBeLessThan(60e6)
      expect(expectSuccess(machine.holdfast('--version'))).toBe(`holdfast ${manifestOf('cli').version}\n`)
      expectSuccess(machine.holdfast('add', 'shell'))
      const denied = machine.holdfast('fire', 'beforeShellExecution', '--command', 'sudo rm -rf /var/log')
      expect(denied).toMatchObject({ status: 2, stdout: expect.stringContaining('DENIED') })
      const allowed = machine.holdfast('fire', 'beforeShellExecution', '--command', 'ls')
      expect(allowed).toMatchObject({ status: 0, stderr: '' })
      // Without esbuild: the package has the bundles of its examples.
      expectSuccess(machine.holdfast('init', '--example', 'block-git', '--yes'))
      expect(machine.holdfast('fire', 'beforeShellExecution', '--command', 'git push')).toMatchObject({
        status: 2,
        stdout: expect.stringContaining('may not run git'),
      })
      expectSuccess(machine.holdfast('doctor', '--no-run'))
      // And the Python library; there is no Python to run it.
      expectSuccess(machine.holdfast('init', '--example', 'prompt-policy', '--yes'))
      const doctor = machine.holdfast('doctor', '--no-run')
      expect(doctor.stdout).toContain('needs python3, which is not in PATH')
    } finally {
      machine.close()
    }
  })
})

/** A home folder, a workspace and a PATH with node and sh only. */
class Machine {
  private readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-install-'))
  readonly prefix = join(this.folder, 'prefix')
  private readonly path = join(this.folder, 'bin')
  private readonly home = join(this.folder, 'home')
  private readonly workspace = join(this.folder, 'workspace')

  constructor(
    nodeFile: string,
    private readonly uid: number | undefined,
  ) {
    for (const path of [this.prefix, this.path, this.home, this.workspace]) mkdirSync(path)
    symlinkSync(nodeFile, join(this.path, 'node'))
    symlinkSync('/bin/sh', join(this.path, 'sh'))
    if (uid === undefined) return
    // The folder of the repository may be readable by its owner only, so the program is copied into reach.
    rmSync(join(this.path, 'node'))
    expect(spawnSync('cp', [nodeFile, join(this.path, 'node')]).status).toBe(0)
    for (const path of [this.folder, this.prefix, this.home, this.workspace]) chownSync(path, uid, uid)
  }

  npm(...args: string[]): SpawnSyncReturns<string> {
    const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
    const options = [
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--no-update-notifier',
      `--registry=${registry}`,
    ]
    return this.node([npmFile(), ...args, ...options])
  }

  holdfast(...args: string[]): SpawnSyncReturns<string> {
    return this.node([join(this.prefix, 'bin/holdfast'), ...args])
  }

  private node(args: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync(join(this.path, 'node'), args, {
      cwd: this.workspace,
      encoding: 'utf8',
      ...(this.uid === undefined ? {} : { uid: this.uid, gid: this.uid }),
      env: {
        HOME: this.home,
        PATH: [this.path, join(this.prefix, 'bin')].join(delimiter),
        NO_COLOR: '1',
        NODE_EXTRA_CA_CERTS: CERTIFICATES,
      },
    })
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function npmFile(): string {
  const root = spawnSync('npm', ['root', '-g'], { encoding: 'utf8' }).stdout.trim().split('\n').at(-1)!
  return join(root, 'npm/bin/npm-cli.js')
}

function expectSuccess({ status, stdout, stderr }: SpawnSyncReturns<string>): string {
  expect(`${status} ${stderr}${status === 0 ? '' : stdout}`).toBe('0 ')
  return stdout
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
