// The figures of the team server, one file of bench/team for each group.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { missedBars } from './measure.mjs'

const folder = fileURLToPath(new URL('./team/', import.meta.url))

export async function suite() {
  process.stdout.write('\nteam\n')
  const wanted = process.env.HOLDFAST_BENCH_TEAM?.split(',')
  const names = readdirSync(folder).filter(name => name.endsWith('.mjs'))
  for (const name of names.sort()) {
    if (wanted && !wanted.includes(name.replace(/\.mjs$/, ''))) continue
    const { measure } = await import(`./team/${name}`)
    await measure()
  }
  return missedBars()
}
