// Every page of the panel enlarged, on a huge screen, in forced colours, without motion, and with touch.

import { describe, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { hasChromium } from './browser.js'
import { spotsOfPanel } from './everywhere.js'
import { inside } from './inside.js'
import { startPanel } from './panel.js'
import { expectUsable } from './zoom.js'

describe.runIf(runsEverything && hasChromium())('every page of the panel', () => {
  it('can be read and used in all views', { timeout: 300_000 }, async () => {
    const panel = await startPanel()
    const window = await inside(panel)
    const spots = await spotsOfPanel(panel, window.page)
    await expectUsable({ app: 'panel', url: panel.url, spots, window })
    await window.close()
    await panel.stop()
  })
})
