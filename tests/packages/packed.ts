// The packages as users install them: packed, unpacked into an empty project, with only the declared dependencies.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../architecture/source.js'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | object>>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export const PACKAGES = ['hooks', 'guards', 'hosts', 'team', 'web', 'server', 'cli'] as const
export type PackageFolder = (typeof PACKAGES)[number]

export const manifestOf = (name: PackageFolder): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

/** The entry points with code, as a user imports them. */
export const entriesOf = ({ name, exports = {} }: Manifest): string[] =>
  Object.entries(exports).flatMap(([path, value]) =>
    typeof value === 'string' ? [] : [`${name}${path.slice(1)}`],
  )

/** A project of a user, in an empty folder. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-packed-')))
  private readonly tarballs = new Map<PackageFolder, string>()

  constructor(names: readonly PackageFolder[]) {
    writeFileSync(join(this.folder, 'package.json'), '{ "private": true }')
    for (const name of names) this.install(name)
    for (const name of names)
      for (const dependency of Object.keys(manifestOf(name).dependencies ?? {}))
        if (!existsSync(this.at(dependency))) this.link(dependency, name)
  }

  private at(name: string): string {
    return join(this.folder, 'node_modules', name)
  }

  private install(name: PackageFolder): void {
    const { stdout } = spawnSync(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', this.folder],
      { cwd: join(root, 'packages', name), encoding: 'utf8' },
    )
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    const tarball = join(this.folder, filename)
    this.tarballs.set(name, tarball)
    const installed = this.installed(name)
    mkdirSync(installed, { recursive: true })
    expect(spawnSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1']).status).toBe(0)
  }

  installed(name: PackageFolder): string {
    return this.at(manifestOf(name).name)
  }

  tarball(name: PackageFolder): Uint8Array {
    return new Uint8Array(readFileSync(this.tarballPath(name)))
  }

  tarballPath(name: PackageFolder): string {
    return this.tarballs.get(name)!
  }

  /** Adds a package of this repository's own installation. Returns the function that removes it. */
  link(name: string, of: PackageFolder = 'hooks'): () => void {
    const own = join(root, 'packages', of, 'node_modules', name)
    const path = this.at(name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(existsSync(own) ? own : join(root, 'node_modules', name), path)
    return () => rmSync(path)
  }

  /** Runs a program with this Node in the folder of the user. */
  node(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    return spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', ...env },
    })
  }

  /** Runs a script and returns the JSON that it prints. */
  run(name: string, text: string): unknown {
    writeFileSync(join(this.folder, name), text)
    const { status, stdout, stderr } = this.node(['--no-experimental-require-module', name])
    expect(`${status} ${stderr}`).toBe('0 ')
    return JSON.parse(stdout)
  }

  /** The messages of the compiler about the project itself or packages of Holdfast. */
  typeProblems(files: Readonly<Record<string, string>>, options: object, compiler = 'typescript'): string[] {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      types: ['node'],
      ...options,
    }
    const config = { compilerOptions, files: Object.keys(files) }
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    const { stdout } = this.node([tsc, '-p', this.folder, '--pretty', 'false'])
    return stdout.split('\n').filter(line => /^(user|error|node_modules\/(@holdfast|holdfast))/.test(line))
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
