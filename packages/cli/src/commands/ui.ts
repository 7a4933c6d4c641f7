// holdfast ui: the Hooks panel, in the browser of this machine.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { answerQuestion, waitingQuestions } from '../daemon/ask.js'
import { whyUnattended } from '../guards/attended.js'
import { mustBeOutsideOfAgents } from '../install/in-agent.js'
import { interrupted } from '../interrupt.js'
import { ownDoor } from '../model.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { isTerminal, print, printError, printJson, type Screen } from '../print/terminal.js'
import type * as Ui from '../ui/index.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'

declare const __dirname: string

export const command: Command = {
  name: 'ui',
  summary: 'Open the Hooks panel in a browser',
  description: `The panel shows the configured hooks and their problems, live runs, and the timeline of each session. You can fire events, review, trust and edit hooks, answer questions from hooks, and see how hooks behave in other versions. It listens on this machine only.

On a terminal, a browser opens, and Enter prints a new link. A link works once, within a minute. Ctrl-C stops the panel and invalidates all links and pages.`,
  options: [
    {
      options: {
        port: value('N', 'port to listen on', { defaultText: 'a free one' }),
        'no-open': flag('do not open a browser'),
      },
    },
    WORKSPACE,
    {
      ...OUTPUT,
      options: {
        ...OUTPUT.options,
        json: flag(
          'print {"link", "port", "pid"} instead of opening a browser, and a new link for each line on stdin',
        ),
      },
    },
  ],
  exitCodes: { 0: 'stopped by a signal', 1: 'could not be started' },
  examples: ['holdfast ui', 'holdfast ui --port 4321 --no-open', 'holdfast ui --root ../other-project'],
  run,
}

async function run(given: Given): Promise<number> {
  // Its pages trust and edit hooks.
  mustBeOutsideOfAgents('ui')
  const port = portOf(given)
  const workspace = workspaceOf(given)
  const { startPanel, openInBrowser } = await openDoor()
  const { home } = workspace
  const panel = await startPanel(workspace, port, {
    list: () => waitingQuestions(home),
    answer: (id, answer) => answerQuestion(home, id, answer),
    unattended: whyUnattended(),
  }).catch(error => {
    throw asUsageError(error, port)
  })
  const signal = interrupted({ isUsual: true })
  const isAttended = process.stdin.isTTY === true && isTerminal() && !given.has('json')
  try {
    const sayJson = () => printJson({ link: panel.link(), port: panel.port, pid: process.pid })
    if (given.has('json')) sayJson()
    else {
      print(words(panel.link(), isAttended, workspace.screen))
      for (const file of panel.broken()) {
        printError(`${shortPath(file, workspace.screen)} cannot be read; the page shows the reason.\n`)
      }
    }
    // In a script or on a build machine, no browser is opened.
    if (isAttended && !given.has('no-open') && !process.env.CI) openInBrowser(panel.link(), signal)
    if (given.has('json')) onEnter(sayJson, signal)
    else if (isAttended) onEnter(() => print(`  ${workspace.screen.bold(panel.link())}\n\n`), signal)
    await new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
    return 0
  } finally {
    await panel.close()
  }
}

const words = (link: string, isAttended: boolean, { bold, dim }: Screen): string =>
  [
    '',
    `  ${bold(link)}`,
    dim(
      `  It works once, within a minute.${isAttended ? ' Enter prints another;' : ''} Ctrl-C stops the panel.`,
    ),
    '',
    '',
  ].join('\n')

/** Each link works once; Enter prints another. */
function onEnter(say: () => void, signal: AbortSignal): void {
  process.stdin.on('data', say)
  signal.addEventListener(
    'abort',
    () => {
      process.stdin.off('data', say)
      process.stdin.pause()
    },
    { once: true },
  )
}

function portOf(given: Given): number {
  const text = given.value('port')
  if (text === undefined) return 0
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`--port is "${text}"; expected a number up to 65535.`)
}

function asUsageError(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} is in use. Choose another with --port, or omit the option.`)
  if (code === 'EACCES')
    return new UsageError(
      `Port ${port} requires an administrator. Choose one above 1023, or omit the option.`,
    )
  return error
}

const openDoor = async (): Promise<typeof Ui> => {
  const door = ownDoor()
  if (!door) throw new UsageError('The panel is not available in this build.')
  return (await door(pathToFileURL(join(__dirname, 'panel.mjs')).href)) as unknown as typeof Ui
}
