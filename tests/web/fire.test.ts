// Firing by hand: real hooks run, and only those that the page showed.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInAll } from '../scope.js'
import { examine, examineInBoth, hasChromium, picture, weigh } from './browser.js'
import { inside, pagesOf } from './inside.js'
import { FILES, startPanel, type TestPanel } from './panel.js'

const MORE = {
  ...FILES,
  '.cursor/hooks.json': FILES['.cursor/hooks.json']!.replace(
    '"afterFileEdit"',
    '"beforeReadFile": [{ "command": "./.cursor/hooks/slow.sh" }],\n    "afterFileEdit"',
  ),
  // Leaves a mark for every run, and takes some time.
  '.cursor/hooks/slow.sh':
    '#!/bin/sh\npayload=$(cat)\necho ran >> ran.txt\necho $$ > pid.txt\ncase $payload in *long*) sleep 30 ;; *) sleep 2 ;; esac\necho end >> ran.txt\necho "{}"\n',
}

const HOME = {
  '.cursor/hooks.json': '{ "version": 1, "hooks": { "sessionStart": [{ "command": "./hooks/hello.sh" }] } }',
  '.cursor/hooks/hello.sh': '#!/bin/sh\necho "{}"\n',
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(!hasChromium())('fire', () => {
  let panel: TestPanel
  beforeAll(async () => {
    panel = await startPanel({ files: MORE, homeFiles: HOME })
  })
  afterAll(() => panel.stop())
  const openPage = pagesOf(() => panel, { tolerate: [/status of 4/, /net::ERR_FAILED/] })
  async function open(path = '/fire'): Promise<Page> {
    const page = await openPage(path)
    await payload(page).waitFor()
    return page
  }
  const payload = (page: Page) => page.getByRole('textbox', { name: /^Payload of/ })
  const result = (page: Page) => page.getByRole('region', { name: 'Result' })
  const runButton = (page: Page) => page.getByRole('button', { name: /^(Run \d|Fire|Running)/ })
  const ran = () => {
    const file = join(panel.root, 'ran.txt')
    return existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(line => line === 'ran').length
      : 0
  }
  const forget = () => rmSync(join(panel.root, 'ran.txt'), { force: true })
  async function fill(page: Page, text: string): Promise<void> {
    await payload(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
  }

  it('shows which hooks will run before running them, then the steps of the event', async () => {
    const page = await open()
    await page.getByRole('heading', { name: '2 hooks will run' }).waitFor()
    expect(await page.getByRole('region', { name: '2 hooks will run' }).textContent()).toMatch(
      /on this machine.*guard\.sh.*watch\.sh.*1 hook skipped/,
    )
    await result(page).getByText('Nothing fired yet').waitFor()
    await picture(page, 'panel-fire')
    await page.keyboard.press('Control+Enter')
    await result(page)
      .getByRole('heading', { name: /^Denied by/ })
      .waitFor()
    expect(await result(page).textContent()).toMatch(/Force pushes are blocked.*Open a pull request instead/)
    expect(readFileSync(panel.logFile, 'utf8')).toContain('git push --force')
  })

  itInAll('renders with a result', async () => {
    const page = await open()
    await page.getByRole('heading', { name: '2 hooks will run' }).waitFor()
    await runButton(page).click()
    await result(page)
      .getByRole('heading', { name: /^Denied by/ })
      .waitFor()
    await picture(page, 'panel-fired')
  })

  itInAll('chooses an event by search, and fills a sample', async () => {
    const page = await open()
    await page.getByRole('button', { name: /^Event/ }).click()
    await page.getByRole('searchbox', { name: 'Find an event' }).fill('inline completion is about to')
    await examine(page, 'the events')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('beforeTabFileRead')
    await page.goto(`${panel.url}/fire?event=beforeShellExecution`)
    await page.getByRole('button', { name: 'git status' }).click()
    await expect.poll(() => payload(page).textContent()).toContain('"git status"')
    expect(new URL(page.url()).searchParams.get('sample')).toBe('git status')
    await page.reload()
    await expect.poll(() => payload(page).textContent()).toContain('"git status"')
  })

  itInAll('updates the terminal command while typing, and copies it', async () => {
    const { page, context, close } = await inside(panel)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${panel.url}/fire?event=beforeShellExecution`)
    await fill(page, '{ "command": "echo it\'s me" }')
    const command = page.getByRole('region', { name: 'the command' })
    await expect
      .poll(() => command.textContent())
      .toContain("holdfast fire beforeShellExecution --command 'echo it'\\''s me'")
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('holdfast fire')
    await close()
  })

  itInAll('completes and validates the payload, and does not fire an invalid one', async () => {
    const page = await open('/fire?event=beforeShellExecution')
    await fill(page, '{ "comm')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: 'command' }).waitFor()
    await page.keyboard.press('Escape')
    await fill(page, '{ "command": 7 }')
    const problems = page.getByRole('list', { name: 'Problems of the payload' })
    await problems
      .getByText(/command/)
      .first()
      .waitFor()
    expect(await runButton(page).getAttribute('aria-disabled')).toBe('true')
    expect(await runButton(page).getAttribute('title')).toContain('Fix the payload')
    await examineInBoth(page, 'a payload with problems')
    await fill(page, '{')
    await problems.waitFor()
    const fired: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/Fire')) fired.push(request.postData()!)
    })
    await page.keyboard.press('Control+Enter')
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(fired).toEqual([])
    expect(await result(page).textContent()).toContain('Nothing fired yet')
  })

  itInAll('runs once for a double click, shows the elapsed time, and can be stopped', async () => {
    forget()
    const page = await open('/fire?event=beforeReadFile')
    await page.getByRole('heading', { name: '1 hook will run' }).waitFor()
    await runButton(page).dblclick()
    const clock = result(page).getByRole('timer')
    const first = await clock.textContent()
    await expect.poll(() => clock.textContent()).not.toBe(first)
    await result(page)
      .getByRole('heading', { name: /^Continued/ })
      .waitFor()
    expect(ran()).toBe(1)

    await fill(page, '{ "file_path": "/project/long.ts", "content": "" }')
    await page.keyboard.press('Control+Enter')
    await expect.poll(ran).toBe(2)
    await examine(page, 'hooks that run')
    await result(page).getByRole('button', { name: 'Stop' }).click()
    await result(page)
      .getByText(/^Stopped/)
      .waitFor()
    const pid = Number(readFileSync(join(panel.root, 'pid.txt'), 'utf8'))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('does not run a hook that changed since it was shown', async () => {
    const page = await open('/fire?event=sessionStart')
    await page.getByRole('heading', { name: '1 hook will run' }).waitFor()
    // Delayed, so that the page does not receive it in time.
    await page.route('**/Explain', route => route.abort())
    writeFileSync(join(panel.home, '.cursor/hooks/hello.sh'), '#!/bin/sh\ntouch evil.txt\n')
    await runButton(page).click()
    await result(page).getByRole('alert').getByText('a hook changed').waitFor()
    await examine(page, 'a hook that changed before it was fired')
    expect(existsSync(join(panel.root, 'evil.txt'))).toBe(false)
  })

  itInAll('fires under several versions and lists differences first', async () => {
    const page = await open('/fire?event=beforeShellExecution')
    await page.getByRole('button', { name: /^Version/ }).click()
    await page.getByRole('button', { name: /^All/ }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).searchParams.get('profile')).toBe('all')
    await page.locator('[aria-labelledby="will-run"][aria-busy="false"]').waitFor()
    await page.getByRole('button', { name: /^Run .* in 6 versions/ }).click()
    const table = result(page).getByRole('table')
    await table.waitFor({ timeout: 30_000 })
    const rows = await table.getByRole('rowheader').allTextContents()
    const differing = rows.map(text => text.includes('differs'))
    expect(differing).toEqual([...differing].sort((a, b) => Number(b) - Number(a)))
    expect(differing).toContain(true)
    await result(page).getByRole('button', { name: 'cursor-3' }).click()
    await result(page).getByRole('region', { name: 'In cursor-3' }).waitFor()
    await picture(page, 'panel-fire-versions')
  })

  itInAll('fills the form from a recorded run', async () => {
    await panel.holdfast('fire', 'beforeShellExecution', '--command', 'git status --porcelain')
    const page = await openPage('/runs')
    await page.getByText('git status --porcelain').first().click()
    const id = await expect
      .poll(() => new URL(page.url()).searchParams.get('run'))
      .not.toBeNull()
      .then(() => new URL(page.url()).searchParams.get('run'))
    await page.goto(`${panel.url}/fire?from=run:${id}`)
    await page.getByText('Filled from').waitFor()
    await expect.poll(() => payload(page).textContent()).toContain('git status --porcelain')
    await page.keyboard.press('Control+Enter')
    await result(page)
      .getByRole('heading', { name: /^Allowed by/ })
      .waitFor()
  })

  itInAll('reports an unknown event', async () => {
    const page = await openPage('/fire?event=beforeEverything')
    await page.getByRole('heading', { name: 'There is no event beforeEverything' }).waitFor()
    await examine(page, 'an unknown event')
  })

  itInAll('loads less than 200 KB first, without the editor', async () => {
    const page = await open('/fire')
    const { files } = await weigh(page, `${panel.url}/fire`)
    const editor = /\/(view|setup|dist|json|ends|look|languages)[-\w]*\.js$/
    const kb = files
      .filter(file => !editor.test(file))
      .reduce((sum, file) => sum + Number.parseFloat(file), 0)
    expect(kb, files.join('\n')).toBeLessThan(200)
  })
})
