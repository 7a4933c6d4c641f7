// holdfast ui: the Hooks panel, in the browser of this machine.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { ownDoor } from '../model.js'
import { noMore, parse, SHARED } from '../options.js'
import { print, printJson } from '../print/terminal.js'
import type * as Ui from '../ui/index.js'
import { workspaceOf } from '../workspace.js'

declare const __dirname: string

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('ui', argv, { ...SHARED, port: 'value' })
  if (given.has('help')) return showHelp('ui')
  noMore('ui', given.positionals, 0)
  const { startPanel } = await openDoor()
  const panel = await startPanel(workspaceOf(given), Number(given.value('port') ?? 0))
  const link = panel.link()
  if (given.has('json')) printJson({ link, port: panel.port })
  else print(`\n  ${link}\n\n`)
  const signal = interrupted({ isUsual: true })
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  await panel.close()
  return 0
}

const openDoor = async (): Promise<typeof Ui> => {
  const door = ownDoor()
  if (!door) throw new Complaint('The panel cannot be opened from here.')
  return (await door(pathToFileURL(join(__dirname, 'panel.mjs')).href)) as unknown as typeof Ui
}
