// Notifications of the browser about waiting questions. One page of the browser shows them, however many are open.

import type { Question } from '../gen/holdfast/panel/v1/panel_pb.js'
import { line } from '../words/plain.js'

export type NotifySetting = 'on' | 'off' | 'blocked' | 'unsupported'

const SETTING = 'holdfast.notify'
const LOCK = 'holdfast.notify'
const LONGEST = 200

export function notifySetting(): NotifySetting {
  if (!('Notification' in window)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(SETTING) === 'on' ? 'on' : 'off'
}

export async function switchNotifications(isOn: boolean): Promise<NotifySetting> {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off')
  if (isOn) await Notification.requestPermission()
  becomeNotifier()
  return notifySetting()
}

let holdsLock = false
let isWaiting = false

/** The first page holds the lock until it closes; then the next one takes over. */
export function becomeNotifier(): void {
  if (isWaiting || notifySetting() !== 'on') return
  isWaiting = true
  void navigator.locks.request(LOCK, () => {
    holdsLock = true
    return new Promise(() => {})
  })
}

/** Its stream stays open while it is hidden. */
export const isNotifier = (): boolean => holdsLock && notifySetting() === 'on'

const shown = new Map<string, Notification | null>()

/** Shows each question once, and closes what no longer waits. A page that the user is looking at shows it itself. */
export function notifyOf(questions: readonly Question[], open: () => void): void {
  for (const [id, notification] of shown) {
    if (questions.some(question => question.id === id)) continue
    notification?.close()
    shown.delete(id)
  }
  for (const { id, agent, subject } of questions) {
    if (shown.has(id) || !isNotifier()) continue
    shown.set(id, document.hasFocus() ? null : show(id, line(agent), line(subject), open))
  }
}

function show(id: string, agent: string, subject: string, open: () => void): Notification {
  const notification = new Notification(`${agent} asks for approval`, {
    body: subject.slice(0, LONGEST),
    tag: id,
    requireInteraction: true,
  })
  notification.onclick = () => {
    window.focus()
    open()
    notification.close()
  }
  return notification
}
