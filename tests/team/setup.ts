// Once for a complete run: a PostgreSQL, and of each kind a database with tables, for the tests to copy.
// HOLDFAST_TEST_POSTGRES names another one to use, whose user may create databases.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openStore } from '../../packages/server/src/store/open.js'
import { order, startPostgres } from './postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
    /** A name, and a file. */
    made: { readonly postgres: string; readonly sqlite: string }
  }
}

/** It never loses power here; the servers do. */
const FORGETFUL = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_wal_size=256MB']

export async function startDatabases(project: TestProject): Promise<() => Promise<void>> {
  const parent = project.config.env.TMPDIR!
  const given = process.env.HOLDFAST_TEST_POSTGRES
  const { url, stop } = given
    ? { url: given, stop: async () => {} }
    : await startPostgres(FORGETFUL, [parent])
  const folder = mkdtempSync(join(parent, 'holdfast-made-'))
  const made = { postgres: `t_${randomUUID().replaceAll('-', '')}`, sqlite: join(folder, 'team.db') }
  await order(url, `create database ${made.postgres}`)
  for (const database of [Object.assign(new URL(url), { pathname: `/${made.postgres}` }).href, made.sqlite]) {
    await (await openStore({ database, now: Date.now })).close()
  }
  project.provide('postgres', url)
  project.provide('made', made)
  return async () => {
    await order(url, `drop database if exists ${made.postgres} with (force)`)
    rmSync(folder, { recursive: true, force: true })
    await stop()
  }
}
