// The same tests over both databases: each test gets a separate one.

import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { order } from './postgres.js'

export interface TestDatabase {
  /** The option that the server is started with. */
  readonly url: string
  drop(): Promise<void>
}

export interface TestDatabases {
  readonly kind: 'sqlite' | 'postgres'
  /** With empty tables, as after the first start of a server. */
  create(): Promise<TestDatabase>
  /** Without tables. */
  createEmpty(): Promise<TestDatabase>
}

function file(made: string | null): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-team-'))
  const url = join(folder, 'team.db')
  if (made) copyFileSync(made, url)
  return { url, drop: async () => rmSync(folder, { recursive: true, force: true }) }
}

async function database(made: string): Promise<TestDatabase> {
  const base = inject('postgres')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  // Copied as files, not page by page through the log.
  await order(base, `create database ${name} template ${made} strategy file_copy`)
  const { href: url } = Object.assign(new URL(base), { pathname: `/${name}` })
  return { url, drop: () => order(base, `drop database if exists ${name} with (force)`) }
}

export const SQLITE: TestDatabases = {
  kind: 'sqlite',
  create: async () => file(inject('made').sqlite),
  createEmpty: async () => file(null),
}
export const POSTGRES: TestDatabases = {
  kind: 'postgres',
  create: () => database(inject('made').postgres),
  createEmpty: () => database('template1'),
}

/** For tests of code whose SQL or locking differs by database. */
export const DATABASES: readonly TestDatabases[] = [SQLITE, POSTGRES]

/** For every other test. */
export const ANY_DATABASE: readonly TestDatabases[] = runsEverything ? DATABASES : [SQLITE]

/** `it` for tests that run on this database; otherwise it registers nothing. */
export const usualItOn = (kind: TestDatabases['kind']): typeof it => {
  const registerNothing = Object.assign(() => {}, { each: () => () => {} })
  return ANY_DATABASE.some(one => one.kind === kind) ? it : (registerNothing as unknown as typeof it)
}
