// The team server's figures: every file of bench/team is one of them.

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
