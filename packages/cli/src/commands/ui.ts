// holdfast ui: the Hooks panel, in the browser of this machine.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { ownDoor } from '../model.js'
import { type Given, noMore, parse, SHARED } from '../options.js'
import { shortPath } from '../print/place.js'
import { isTerminal, print, printError, printJson, type Screen } from '../print/terminal.js'
import type * as Ui from '../ui/index.js'
import { workspaceOf } from '../workspace.js'

declare const __dirname: string

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('ui', argv, { ...SHARED, port: 'value', 'no-open': 'flag' })
  if (given.has('help')) return showHelp('ui')
  noMore('ui', given.positionals, 0)
  const port = portOf(given)
  const workspace = workspaceOf(given)
  const { startPanel, openInBrowser } = await openDoor()
  const panel = await startPanel(workspace, port).catch(error => {
    throw asComplaint(error, port)
  })
  const signal = interrupted({ isUsual: true })
  const isAttended = process.stdin.isTTY === true && isTerminal() && !given.has('json')
  try {
    const sayJson = () => printJson({ link: panel.link(), port: panel.port, pid: process.pid })
    if (given.has('json')) sayJson()
    else {
      print(words(panel.link(), isAttended, workspace.screen))
      for (const file of panel.broken()) {
        printError(`${shortPath(file, workspace.screen)} cannot be read; the page says why.\n`)
      }
    }
    // In a script, or on a machine that builds, nobody looks at a browser.
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

/** Every link works once; who wants another presses Enter. */
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
  throw new Complaint(`--port is "${text}"; expected a number up to 65535.`)
}

function asComplaint(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Complaint(`Port ${port} is taken. Choose another with --port, or leave it out.`)
  if (code === 'EACCES')
    return new Complaint(`Port ${port} is not yours to use. Choose one above 1023, or leave it out.`)
  return error
}

const openDoor = async (): Promise<typeof Ui> => {
  const door = ownDoor()
  if (!door) throw new Complaint('The panel cannot be opened from here.')
  return (await door(pathToFileURL(join(__dirname, 'panel.mjs')).href)) as unknown as typeof Ui
}
