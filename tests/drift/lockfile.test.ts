// What `npm ci` needs of the lockfile on every platform. It compares only names, so nothing is installed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/source.js'

interface Entry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Entry>>
}

it('the lockfile has the optional packages of all platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(name => !isLocked(path, name)),
  )
  expect(missing).toEqual([])
})

it('the lockfile verifies every package and names no registry', () => {
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
  expect(installed.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([])
})

/** Whether Node would find the package from this one. */
function isLocked(from: string, name: string): boolean {
  const inside = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (Object.hasOwn(packages, inside)) return true
  if (from === '') return false
  return isLocked(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
}
