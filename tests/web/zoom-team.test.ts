// Every page of the dashboard enlarged, on a huge screen, in forced colours, without motion, and with touch.

import { describe, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { hasChromium, openWindow } from './browser.js'
import { spotsOfTeam } from './everywhere.js'
import { startTeam } from './team.js'
import { expectUsable } from './zoom.js'

describe.runIf(runsEverything && hasChromium())('every page of the dashboard', () => {
  it('can be read and used in all views', { timeout: 300_000 }, async () => {
    const team = await startTeam()
    const window = await openWindow({ cookies: team.owner.cookies })
    const spots = await spotsOfTeam(team, window.page)
    await expectUsable({ app: 'team', url: team.url, spots, window })
    await window.close()
    await team.stop()
  })
})
