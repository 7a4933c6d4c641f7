// The native client as a package: what it contains, and that the packed command finds and installs it.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { CLIENT, hasClient } from '../warm-path/around.js'
import { manifestOf, PACKAGES, Project } from './packed.js'

const { nameFor, PLATFORMS, withClients, writeClientPackage } = (await import(
  '../../scripts/client-packages.mjs' as string
)) as {
  readonly PLATFORMS: readonly string[]
  nameFor(platform: string): string
  withClients<T>(platforms: readonly string[], work: () => Promise<T>, file: string): Promise<T>
  writeClientPackage(platform: string, folder: string): void
}

const PLATFORM = `${process.platform}-${process.arch}`
const isPublished = hasClient && PLATFORMS.includes(PLATFORM)

it('the release workflow builds every platform that is published', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
  const built = [...workflow.matchAll(/ platform: ([\w-]+)/g)].map(([, platform]) => platform)
  expect(built).toEqual(PLATFORMS)
})

it('holdfast names the clients while it is packed, and its manifest stays the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-manifest-'))
  const file = join(folder, 'package.json')
  const before = readFileSync(join(root, 'packages/cli/package.json'), 'utf8')
  writeFileSync(file, before)
  const named = () => JSON.parse(readFileSync(file, 'utf8')).optionalDependencies
  try {
    const { version } = manifestOf('cli')
    const packed = await withClients(PLATFORMS, async () => named(), file)
    expect(packed).toEqual(Object.fromEntries(PLATFORMS.map(platform => [nameFor(platform), version])))
    const failed = withClients(PLATFORMS, () => Promise.reject(new Error('no registry')), file)
    await expect(failed).rejects.toThrow('no registry')
    expect(readFileSync(file, 'utf8')).toBe(before)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe.runIf(isPublished)('the package of a client', () => {
  let project: Project
  let folder: string

  beforeAll(() => {
    project = new Project(PACKAGES)
    const source = join(project.folder, 'client')
    writeClientPackage(PLATFORM, source)
    const { stdout } = spawnSync('npm', ['pack', '--json', '--pack-destination', project.folder], {
      cwd: source,
      encoding: 'utf8',
    })
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    folder = join(project.folder, 'node_modules', nameFor(PLATFORM))
    mkdirSync(folder, { recursive: true })
    const archive = join(project.folder, filename)
    expect(spawnSync('tar', ['xzf', archive, '-C', folder, '--strip-components=1']).status).toBe(0)
  })
  afterAll(() => project.close())

  it('is for one platform, and contains one program', async () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const [os, cpu] = PLATFORM.split('-')
    expect(manifest).toMatchObject({
      version: manifestOf('cli').version,
      os: [os],
      cpu: [cpu],
      license: 'MIT',
    })
    expect(manifest.scripts).toBeUndefined()
    expect(statSync(join(folder, 'holdfast-client')).mode & 0o111).toBe(0o111)
    expect((await publint({ pkgDir: folder, pack: false, strict: true })).messages).toEqual([])
  })

  it('is what the packed command installs', () => {
    const home = join(project.folder, 'home')
    mkdirSync(home)
    const program = join(project.installed('cli'), 'bin/holdfast.cjs')
    const { status, stderr } = project.node([program, 'install', 'claude-code'], { HOME: home })
    expect(`${status} ${stderr}`).toBe('0 ')
    const copy = join(home, '.holdfast/bin/holdfast-client')
    expect(readFileSync(copy).equals(readFileSync(CLIENT))).toBe(true)
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toContain(`"${copy} `)
  })
})
