// Opens the user's browser. The link is in a file that only the user can read, because every user of the machine can
// read command lines.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The lifetime of the token in the link. */
const KEPT_MS = 60_000

export function openInBrowser(link: string, signal: AbortSignal): void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ui-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const timer = setTimeout(remove, KEPT_MS)
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer)
      remove()
    },
    { once: true },
  )
  const file = join(folder, 'open.html')
  writeFileSync(file, page(link), { mode: 0o600 })
  const [program, ...rest] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program!, [...rest, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
  // Without a browser, the link is on the screen.
  child.once('error', () => {})
  child.unref()
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

const page = (link: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${link}"><title>Holdfast</title>\n`
