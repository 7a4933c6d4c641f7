// An agent that a hook continues at the end of its turn: the timeline of its session shows the loop, with data of
// real hooks.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, hasChromium, picture } from './browser.js'
import { look } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'

const CONVERSATION = 'c-loops'
const STEPS = ['build', 'test', 'lint']
/** Continues the agent twice, each time with another message. */
const FOLLOW_UP = `#!/bin/sh
payload=$(cat)
case $payload in
  *'"loop_count":0'*) echo '{"followup_message":"Run the tests."}' ;;
  *'"loop_count":1'*) echo '{"followup_message":"Fix what failed."}' ;;
  *) echo '{}' ;;
esac
`
const FILES = {
  '.cursor/hooks.json': JSON.stringify({
    version: 1,
    hooks: {
      beforeSubmitPrompt: [{ command: './.cursor/hooks/watch.sh' }],
      beforeShellExecution: [{ command: './.cursor/hooks/watch.sh' }],
      stop: [{ command: './.cursor/hooks/follow-up.sh' }],
    },
  }),
  '.cursor/hooks/watch.sh': '#!/bin/sh\ncat > /dev/null\n',
  '.cursor/hooks/follow-up.sh': FOLLOW_UP,
}

const rows = (page: Page) => page.getByRole('treegrid').locator('[role="row"][aria-level]')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })

describe.skipIf(!hasChromium())('an agent that is sent on', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel({ files: FILES })
  })
  afterAll(() => panel?.stop())
  const fire = async (event: string, ...fields: readonly string[]) => {
    const { code, stderr, stdout } = await panel.holdfast(
      'fire',
      event,
      '--conversation-id',
      CONVERSATION,
      ...fields,
      '--json',
    )
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  /** One turn as an agent takes it; returns the follow-up at its end. */
  const turn = async (prompt: string, loop: number): Promise<string | undefined> => {
    await fire('beforeSubmitPrompt', '--prompt', prompt)
    await fire('beforeShellExecution', '--command', `npm run ${STEPS[loop]}`)
    const answer = await fire('stop', '--status', 'completed', '--loop-count', String(loop))
    return /"followup_message":\s*"([^"]+)"/.exec(JSON.stringify(answer))?.[1]
  }

  itInAll('shows each loop below the message that started it, with its messages and calls', async () => {
    let prompt: string | undefined = 'Repair the build'
    const said: string[] = []
    for (let loop = 0; prompt !== undefined; loop++) {
      said.push(prompt)
      prompt = await turn(prompt, loop)
    }
    expect(said).toEqual(['Repair the build', 'Run the tests.', 'Fix what failed.'])

    const { page, close } = await look(panel, `/sessions/${CONVERSATION}`)
    await rows(page).first().waitFor()
    await page.keyboard.press('e')
    await row(page, /^follow-up/)
      .nth(1)
      .waitFor()
    const level = async (text: RegExp) => Number(await row(page, text).first().getAttribute('aria-level'))
    const texts = (await rows(page).allTextContents()).map(text => text.replace(/(≥ )?\d[\d.]* m?s$/, ''))
    // Not messages of the user: the loops appear below the user's message, and their actions below them.
    expect(texts.filter(text => /^(prompt|follow-up|shell)/.test(text))).toEqual([
      'promptRepair the build',
      'shellnpm run build',
      'follow-up 1Run the tests.',
      'promptRun the tests.',
      'shellnpm run test',
      'follow-up 2Fix what failed.',
      'promptFix what failed.',
      'shellnpm run lint',
    ])
    expect(await level(/^follow-up 1/)).toBe((await level(/^promptRepair/)) + 1)
    expect(await level(/^follow-up 2/)).toBe(await level(/^follow-up 1/))
    for (const inside of [/^promptRun/, /npm run test/, /npm run lint/]) {
      expect(await level(inside)).toBe((await level(/^follow-up 1/)) + 1)
    }

    await row(page, /^follow-up 2/).click()
    await page.getByRole('complementary').getByText('follow-up.sh').first().waitFor()
    await picture(page, 'panel-session-loops')
    await examine(page, 'a session with loops')
    await close()
  })

  itInAll('shows a loop that starts while the page is open', async () => {
    const { page, close } = await look(panel, `/sessions/${CONVERSATION}`)
    await row(page, /^follow-up/)
      .nth(1)
      .waitFor()
    expect(await turn('Once more', 0)).toBe('Run the tests.')
    await row(page, 'Once more').waitFor()
    await expect.poll(() => row(page, /^follow-up/).count()).toBe(3)
    await close()
  })
})
