// A notification on the desktop that a question waits. Where there is no desktop, nothing happens.

import type { Waiting } from './questions.js'

const LONGEST = 200

export async function notifyDesktop({ agent, subject }: Waiting): Promise<void> {
  const title = `${agent} asks for approval`
  const text = `${subject.slice(0, LONGEST)}\nAnswer in holdfast ui or holdfast approvals.`
  const words = commandFor(title, text)
  if (!words) return
  const { spawn } = await import('node:child_process')
  const child = spawn(words[0]!, words.slice(1), { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function commandFor(title: string, text: string): string[] | undefined {
  if (process.platform === 'darwin') {
    // Arguments, so that no text becomes part of the script.
    const script = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run'
    return ['osascript', '-e', script, title, text]
  }
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  return DISPLAY || WAYLAND_DISPLAY
    ? ['notify-send', '--app-name=Holdfast', '--urgency=critical', '--', title, text]
    : undefined
}
