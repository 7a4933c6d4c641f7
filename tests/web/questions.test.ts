// A question of a hook, for an agent that cannot ask, answered in the panel: a real daemon, bridge, panel and browser.

import { spawn } from 'node:child_process'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { guard, watched } from '../processes.js'
import { Around, PROGRAM } from '../warm-path/around.js'
import { examine, hasChromium, openWindow, type Window, type WindowOptions } from './browser.js'
import { enter } from './calls.js'

const ASKS = `#!/bin/sh\ncat > /dev/null\necho '{"permission": "ask", "user_message": "Push it?"}'\n`

/**
 * Runs a command in a terminal whose parents are no agent, as a person would, also if an agent runs the tests. Prints the
 * id of the process first.
 */
const TERMINAL = `
import os, pty, sys
if os.fork():
    os._exit(0)
os.setsid()
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
print(pid, flush=True)
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
    sys.stdout.flush()
`

let around: Around
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open({ timeout = 60, hasDaemon = true } = {}): Promise<void> {
  around = new Around({ beforeShellExecution: [{ command: './hook.sh', timeout }] }, { 'hook.sh': ASKS })
  cleanUps.push(() => around.close())
  await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }), codex)
  if (hasDaemon) await around.startDaemon()
}

const codex = { agent: 'codex' }
const ask = (command: string, signal?: AbortSignal) =>
  around.byNode('PreToolUse', around.shell(command), signal ? { ...codex, signal } : codex)

/** Starts `holdfast ui`, and returns its link. */
function panel(isTerminal = true): Promise<string> {
  const { home, root, env } = around
  const command = [process.execPath, PROGRAM, 'ui', '--no-open', '--home', home, '--root', root]
  const [file, ...args] = isTerminal ? ['python3', '-c', TERMINAL, ...command] : command
  const child = spawn(file!, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  if (!isTerminal) {
    watched(child)
    cleanUps.push(() => child.kill())
  }
  let output = ''
  return new Promise(resolve => {
    child.stdout.on('data', chunk => {
      if (output === '' && isTerminal) {
        const pid = Number.parseInt(String(chunk), 10)
        const release = guard(pid)
        cleanUps.push(() => {
          process.kill(pid, 'SIGTERM')
          release()
        })
      }
      output += chunk
      const link = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(output)
      if (link) resolve(link[0])
    })
  })
}

async function look(link: string, options: WindowOptions = {}): Promise<Window> {
  const window = await openWindow({ isFresh: true, ...options })
  cleanUps.push(() => window.close())
  await window.page.goto(link)
  await window.page.getByText('Live', { exact: true }).waitFor()
  return window
}

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'asks for approval' })
const card = (page: Page, subject: string) => page.getByRole('article').filter({ hasText: subject })

describe.runIf(hasChromium())('a question', () => {
  it('appears on every page, and is allowed', async () => {
    await open()
    const { page } = await look(await panel())
    const ended = ask('git push')
    await banner(page).getByText('git push').waitFor()
    expect(await banner(page).innerText()).toContain('Codex asks for approval')
    await page.getByRole('link', { name: 'Answer' }).click()
    const question = card(page, 'git push')
    await question.getByText('Push it?').waitFor()
    expect(await question.innerText()).toMatch(/\.\/hook\.sh[\s\S]*project[\s\S]*beforeShellExecution/)
    await examine(page)
    await question.getByRole('button', { name: 'Allow' }).click()
    await question.getByText('Allowed.').waitFor()
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('is denied, and the next one waits below it', async () => {
    await open()
    const { page } = await look(await panel())
    const [first, second] = [ask('git push'), ask('git tag v1')]
    await page.getByText('2 questions wait for an answer').waitFor()
    await page.getByRole('link', { name: 'Answer' }).click()
    const question = card(page, 'git push')
    // By keyboard alone.
    await question.getByRole('button', { name: 'Deny' }).focus()
    await page.keyboard.press('Enter')
    await question.getByText('Denied.').waitFor()
    expect((await first).stdout).toMatch(/"permissionDecision":"deny".*A person refused this/)
    await card(page, 'git tag v1').getByRole('button', { name: 'Allow' }).click()
    expect(await second).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('that an agent withdraws shows that it no longer waits', async () => {
    await open()
    const { page } = await look(await panel())
    const controller = new AbortController()
    const ended = ask('git push', controller.signal)
    await page.getByRole('link', { name: 'Answer' }).click()
    await card(page, 'git push').getByRole('button', { name: 'Allow' }).waitFor()
    controller.abort()
    await ended
    await card(page, 'git push').getByText('No longer waits').waitFor()
    expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  })

  it('without an answer is a deny that names the panel', async () => {
    await open({ timeout: 1 })
    const { page } = await look(await panel())
    const { stdout } = await ask('git push')
    expect(stdout).toMatch(/"deny".*nobody answered within 1 second\. Answer in holdfast ui/)
    await expect.poll(() => banner(page).count()).toBe(0)
  })

  it('is a notification of the browser after the user turned them on', async () => {
    await open()
    const link = await panel()
    const window = await openWindow({ isFresh: true })
    cleanUps.push(() => window.close())
    await window.context.grantPermissions(['notifications'], { origin: new URL(link).origin })
    // Headless Chromium has no place to show one.
    await window.page.addInitScript(() => {
      const shown: string[] = []
      Object.assign(window, { shown })
      Object.defineProperty(document, 'hasFocus', { value: () => false })
      class Notification {
        static permission = 'granted'
        static requestPermission = async () => 'granted'
        constructor(title: string, { body }: { body: string }) {
          shown.push(`${title}: ${body}`)
        }
        close() {
          shown.push('closed')
        }
      }
      Object.assign(window, { Notification })
    })
    const { page } = window
    await page.goto(link)
    await page.getByRole('link', { name: 'Questions' }).click()
    await page.getByText('No question waits').waitFor()
    const first = ask('git push')
    await card(page, 'git push').getByRole('button', { name: 'Deny' }).click()
    await first
    const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown)
    expect(await shown()).toEqual([])
    await page.getByRole('button', { name: 'Notify me of questions' }).click()
    await page.getByRole('button', { name: 'Turn notifications off' }).waitFor()
    const second = ask('git tag v1')
    await expect.poll(shown).toEqual(['Codex asks for approval: git tag v1'])
    await card(page, 'git tag v1').getByRole('button', { name: 'Allow' }).click()
    await second
    await expect.poll(shown).toEqual(['Codex asks for approval: git tag v1', 'closed'])
  })
})

describe('an answer', () => {
  it('is refused in a panel that no person started', async () => {
    await open()
    const inside = await enter(await panel(false))
    const controller = new AbortController()
    const ended = ask('git push', controller.signal)
    await expect.poll(async () => (await inside.call('listQuestions')).questions.length).toBe(1)
    const { questions, noAnswer } = await inside.call('listQuestions')
    expect(noAnswer).toContain('this is not a terminal')
    const { id } = questions[0]!
    await expect(inside.call('answerQuestion', { id, isAllowed: true })).rejects.toThrow('cannot answer')
    expect((await inside.call('listQuestions')).questions).toHaveLength(1)
    controller.abort()
    await ended
  })

  it.runIf(hasChromium())('is disabled on its page, with the reason', async () => {
    await open()
    const { page } = await look(await panel(false))
    const controller = new AbortController()
    const ended = ask('git push', controller.signal)
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByText('This panel cannot answer').waitFor()
    const allow = card(page, 'git push').getByRole('button', { name: 'Allow' })
    expect(await allow.getAttribute('aria-disabled')).toBe('true')
    controller.abort()
    await ended
  })

  it('counts once', async () => {
    await open()
    const inside = await enter(await panel())
    const ended = ask('git push')
    await expect.poll(async () => (await inside.call('listQuestions')).questions.length).toBe(1)
    const { id } = (await inside.call('listQuestions')).questions[0]!
    const answers = await Promise.all(
      [false, true].map(isAllowed => inside.call('answerQuestion', { id, isAllowed })),
    )
    expect(answers.map(({ counted }) => counted)).toEqual([true, false])
    expect((await ended).stdout).toContain('"deny"')
  })
})

it.runIf(hasChromium())('without a daemon, the page shows how to start it', async () => {
  await open({ hasDaemon: false })
  const { page } = await look(await panel())
  await page.getByRole('link', { name: 'Questions' }).click()
  await page.getByText('The daemon does not run').waitFor()
  await page.reload()
  await page.getByText('The daemon does not run').waitFor()
  await page.getByText('holdfast daemon start').waitFor()
  await around.startDaemon()
  await page.getByText('No question waits').waitFor()
})
