// Kills the server repeatedly while devices send. No acknowledged record may be missing. The server is started by its
// command, and the devices are enrolled.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report } from '../measure.mjs'
import { load } from '../sources.mjs'
import { startTeam } from '../team-server.mjs'

const KILLS = 20
const DEVICES = 6

export async function measure() {
  const { crash, startPostgres } = await load('tests/team/crash.ts', 'tests/team/postgres.ts')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    show('SQLite', await crash(await team(join(folder, 'team.db')), KILLS))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { url, stop } = await startPostgres()
  try {
    show('PostgreSQL', await crash(await team(url), KILLS))
  } finally {
    await stop()
  }
}

async function team(database) {
  const { url, device, restart, stop } = await startTeam({ database })
  const devices = []
  for (let index = 0; index < DEVICES; index++) devices.push(`Bearer ${await device(`laptop${index}`)}`)
  return { database, devices, url: () => url, restart, stop }
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
