// Killed while devices send, again and again: nothing that was acknowledged may be missing.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report } from '../measure.mjs'
import { load } from '../sources.mjs'

const KILLS = 20

export async function measure() {
  const { crash, startPostgres } = await load('tests/team/crash.ts', 'tests/team/postgres.ts')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    show('SQLite', await crash(join(folder, 'team.db'), KILLS))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { url, stop } = await startPostgres()
  try {
    show('PostgreSQL', await crash(url, KILLS))
  } finally {
    await stop()
  }
}

function show(name, { kills, acknowledged, lost, miscounted }) {
  report(
    `${name}, server killed ${kills} times: acknowledged and lost`,
    lost,
    0,
    '',
    `of ${acknowledged} records`,
  )
  report(`${name}, records that the sums do not know once`, miscounted, 0, '')
}
