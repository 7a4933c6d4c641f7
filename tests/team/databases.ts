// The same tests over both databases: each test gets an empty one.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  /** What the server is started with. */
  readonly url: string
  drop(): Promise<void>
}

export const DATABASES: readonly { readonly kind: 'sqlite' | 'postgres'; create(): Promise<TestDatabase> }[] =
  [
    {
      kind: 'sqlite',
      async create() {
        const folder = mkdtempSync(join(tmpdir(), 'holdfast-team-'))
        return {
          url: join(folder, 'team.db'),
          drop: async () => rmSync(folder, { recursive: true, force: true }),
        }
      },
    },
    {
      kind: 'postgres',
      async create() {
        const base = inject('postgres')
        const name = `t_${randomUUID().replaceAll('-', '')}`
        await admin(base, `create database ${name}`)
        const url = new URL(base)
        url.pathname = `/${name}`
        return { url: url.href, drop: () => admin(base, `drop database if exists ${name} with (force)`) }
      },
    },
  ]

async function admin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
