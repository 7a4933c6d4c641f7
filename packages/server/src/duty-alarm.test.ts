import { expect, it } from 'vitest'
import { startDutyAlarm } from './duty-alarm.js'
import { openStore } from './store/open.js'
import type { Team } from './team.js'

it('warns once of a duty that no server does, and says when it is done again', async () => {
  const store = await openStore({ database: ':memory:', now: Date.now })
  const logged: unknown[] = []
  const write = (message: string, facts?: object) => logged.push([message, facts])
  const log = { info: write, warn: write, error: write }
  const alarm = startDutyAlarm({ store, log } as unknown as Team)
  try {
    await store.alone('rollout-monitor', async () => {})
    await alarm.look()
    expect(logged).toEqual([])
    await expect(
      store.alone('rollout-monitor', async () => {
        throw new Error('broken')
      }),
    ).rejects.toThrow('broken')
    await store.db
      .updateTable('duties')
      .set({ done_at: Date.now() - 600_000 })
      .execute()
    await alarm.look()
    await alarm.look()
    expect(logged).toEqual([
      ['a duty was not done for a long time', { duty: 'rollout-monitor', minutes: 10, isHeld: false }],
    ])
    await store.alone('rollout-monitor', async () => {})
    await alarm.look()
    expect(logged[1]).toEqual(['a duty is done again', { duty: 'rollout-monitor' }])
  } finally {
    alarm.stop()
    await store.close()
  }
})
