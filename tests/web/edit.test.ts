// hooks.json in the page: completion, live problems, and no overwritten changes.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, picture } from './browser.js'
import { inside, pagesOf } from './inside.js'
import { startPanel, type TestPanel } from './panel.js'

const FILE = '.cursor/hooks.json'
const PLAIN = '{\n  // Mine.\n  "version": 1,\n  "hooks": {\n    "stop": [{ "command": "true" }]\n  }\n}\n'

describe.skipIf(!hasChromium())('editing hooks.json', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel({ files: { [FILE]: PLAIN } })
  })
  afterAll(() => panel.stop())
  // The browser logs a refused save.
  const openPage = pagesOf(() => panel, { tolerate: [/409|status of 4/, /Failed to load|net::ERR/] })
  const onDisk = () => readFileSync(join(panel.root, FILE), 'utf8')
  const put = (text: string) => writeFileSync(join(panel.root, FILE), text)
  const field = (page: Page) => page.getByRole('textbox', { name: /hooks\.json/ })
  const status = (page: Page) => page.getByRole('status').filter({ hasText: /disk|saved/i })

  async function open(text = PLAIN): Promise<Page> {
    put(text)
    const page = await openPage('/hooks')
    await page.getByRole('link', { name: 'Edit hooks.json' }).first().click()
    await field(page).waitFor()
    return page
  }

  /** Underlines the first. */
  async function type(page: Page, words: string): Promise<void> {
    await field(page).click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type(words)
  }

  async function save(page: Page): Promise<void> {
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: /^(Save|Write)/ })
    await dialog.getByRole('textbox', { name: /to be saved/ }).waitFor()
    await page.keyboard.press('Control+s')
    await dialog.waitFor({ state: 'detached' })
  }

  const kinds = [
    ['comments and two spaces', PLAIN],
    ['windows line ends', PLAIN.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${PLAIN.replaceAll('\n', '\r\n')}`],
    ['tabs', PLAIN.replaceAll('  ', '\t')],
    ['no end of the last line', PLAIN.trimEnd()],
    ['mixed line ends', PLAIN.replace('"version": 1,\n', '"version": 1,\r\n')],
  ] as const
  itInAll.each(kinds)('leaves every other byte unchanged: %s', async (_, before) => {
    const page = await open(before)
    await type(page, '// typed')
    await save(page)
    const end = before.includes('\r\n') && !before.includes('1,\r\n  "hooks": {\n') ? '\r\n' : '\n'
    const indent = before.includes('\t') ? '\t' : '  '
    await expect.poll(onDisk).toBe(before.replace(/^(\ufeff?\{)\r?\n/, `$1${end}${indent}// typed${end}`))
  })

  itInAll('completes from the schema in an unfinished document', async () => {
    const page = await open('{\n  "hooks": {\n    \n')
    await field(page).click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.type('"beforeSh')
    const option = page.getByRole('option', { name: /beforeShellExecution/ })
    await option.waitFor()
    await examine(page, 'completion')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page).textContent()).toContain('"beforeShellExecution": [')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: /a program/ }).waitFor()
    await page.keyboard.press('Escape')
  })

  itInAll('reports mistakes while typing, with a link to the line', async () => {
    const page = await open()
    await type(page, '"hoks": 1,')
    const problems = page.getByRole('region', { name: /error|warning/ })
    await problems.getByRole('button', { name: /hoks/ }).waitFor()
    await page.locator('.cm-lintRange').first().waitFor()
    await examineInBoth(page, 'an editor with problems')
    await problems.getByRole('button', { name: /hoks/ }).click()
    await page.getByRole('button', { name: 'Undo all changes' }).click()
    await page.getByRole('heading', { name: 'No problems' }).waitFor()
    expect(onDisk()).toBe(PLAIN)
  })

  it('shows the change before it is saved, and Esc leads back', async () => {
    const page = await open()
    await page.keyboard.press('Control+s')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await type(page, '// typed')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: /^Save/ })
    await dialog.getByRole('textbox', { name: /on disk/ }).waitFor()
    await dialog.getByRole('button', { name: /^Save/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Save/)
    await picture(page, 'panel-save')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(onDisk()).toBe(PLAIN)
    await save(page)
    expect(onDisk()).toContain('// typed')
    await expect.poll(() => status(page).first().textContent()).toMatch(/^Saved at/)
  })

  it('does not overwrite a file that changed in the meantime', async () => {
    const page = await open()
    await type(page, '// mine')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: /^Save/ })
    await dialog.getByRole('textbox', { name: /to be saved/ }).waitFor()
    const theirs = PLAIN.replace('"true"', '"false"')
    put(theirs)
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { name: /changed on disk while you edited it/ }).waitFor()
    expect(onDisk()).toBe(theirs)
    await page.getByRole('textbox', { name: /on disk/ }).waitFor()
    await picture(page, 'panel-conflict')
    const mine = page.getByRole('textbox', { name: /your text/ })
    expect(await mine.textContent()).toContain('// mine')
    // The second part is theirs: it is accepted, so that both are in the file.
    await page.getByRole('button', { name: 'Use this change' }).last().click()
    await expect.poll(() => mine.textContent()).toContain('"false"')
    await page.getByRole('button', { name: 'Save my text' }).click()
    await expect.poll(onDisk).toBe(theirs.replace('{\n', '{\n  // mine\n'))
  })

  itInAll('reports a changed file immediately, and loads it when there are no unsaved changes', async () => {
    const page = await open()
    const other = PLAIN.replace('Mine', 'Theirs')
    put(other)
    await expect.poll(() => field(page).textContent()).toContain('Theirs')
    await type(page, '// mine')
    put(PLAIN)
    await page.getByRole('alert').getByText('The file changed on disk').waitFor()
    expect(await field(page).textContent()).toContain('// mine')
  })

  itInAll('asks before leaving unsaved text', async () => {
    const page = await open()
    await type(page, '// mine')
    const away = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Runs/ })
    await away.click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.waitFor()
    await examine(page, 'leaving')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await field(page).textContent()).toContain('// mine')
    await away.click()
    await dialog.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    expect(onDisk()).toBe(PLAIN)
  })

  itInAll('moves the focus out with Esc and Tab', async () => {
    const page = await open()
    await field(page).click()
    await page.keyboard.press('Tab')
    expect(await field(page).evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await field(page).evaluate(element => element === document.activeElement)).toBe(false)
  })

  itInAll('opens at the line of the hook', async () => {
    const page = await open()
    await page.goto(`${panel.url}/hooks`)
    await page.getByRole('link', { name: 'true', exact: true }).click()
    await page.getByRole('complementary').getByRole('link', { name: 'Edit' }).click()
    await field(page).waitFor()
    await expect.poll(() => page.locator('.cm-activeLine').textContent()).toContain('"stop"')
  })

  itInAll('creates a file that does not exist', async () => {
    const page = await open()
    await page.goto(`${panel.url}/hooks`)
    await page
      .getByRole('region', { name: 'No hooks in' })
      .getByRole('link', { name: 'Create' })
      .first()
      .click()
    await field(page).click()
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: 'hooks.json' }).first().click()
    await expect.poll(() => field(page).textContent()).toContain('"hooks"')
    await save(page)
    expect(existsSync(join(panel.home, FILE))).toBe(true)
  })

  itInAll('renders at every width in both themes', async () => {
    const page = await open(PLAIN.replace('"command"', '"comand"'))
    await page.getByRole('heading', { name: /error/ }).waitFor()
    await picture(page, 'panel-edit')
  })
})

describe.skipIf(!hasChromium())('when the session ends', () => {
  itInAll('keeps unsaved text and reports it', async () => {
    const panel = await startPanel({ files: { [FILE]: PLAIN } })
    const { page, close } = await inside(panel, { tolerate: [/Failed to load|net::ERR|status of/] })
    await page.goto(`${panel.url}/hooks`)
    await page.getByRole('link', { name: 'Edit hooks.json' }).first().click()
    const field = page.getByRole('textbox', { name: /hooks\.json/ })
    await field.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('// kept')
    await panel.stop()
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: /^Save/ })
    await dialog.getByRole('button', { name: /^Save/ }).click()
    await dialog
      .getByRole('alert')
      .getByText(/Not saved.*Your text is kept here/)
      .waitFor()
    await page.keyboard.press('Escape')
    expect(await field.textContent()).toContain('// kept')
    await page.getByRole('button', { name: 'Copy the text' }).waitFor()
    await close()
  })
})
