// holdfast team watch: the refresh itself, for all teams of this home or for one, until it is stopped or no team is
// left.

import type { Watching } from '@holdfast/team/device'
import { interrupted } from '../interrupt.js'
import { print } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { lockFile } from './background.js'
import type { deviceOf } from './door.js'
import { problemWords, syncText } from './report.js'

/** How soon a joined or left team is noticed. */
const LOOK_MS = 5000

export async function watch(
  { device, around, screen, home }: Awaited<ReturnType<typeof deviceOf>>,
  only: string | undefined,
): Promise<number> {
  const held = await device.lock(await lockFile(home), around, 0)
  if (!held) {
    print('The refresh is already running.\n')
    return 0
  }
  const running = new Map<string, Watching>()
  const nameOf = (id: string) => device.readStatus(around, id)?.enrolment.team_name ?? id
  const say = (text: string) => print(`${new Date().toISOString()} ${visible(text)}\n`)
  const start = (id: string) =>
    device.watchTeam(around, id, {
      atOnce: true,
      onSync: result => {
        if (result.kind !== 'unchanged')
          say(syncText(result, nameOf(id), screen).trim().replaceAll('\n', ' '))
      },
      onSend: ({ sent, refused, problem }) => {
        if (sent + refused > 0)
          say(`${nameOf(id)}  ${count(sent, 'record')} sent${refused > 0 ? `, ${refused} refused` : ''}`)
        if (problem && problem.code !== 'offline' && problem.code !== 'server') say(problemWords(problem))
      },
    })
  /** False if there is nothing left to do. */
  const look = (): boolean => {
    const teams = device.enrolledTeams(home).filter(id => only === undefined || id === only)
    for (const id of teams) if (!running.has(id)) running.set(id, start(id))
    for (const [id, one] of running) {
      if (teams.includes(id)) continue
      running.delete(id)
      void one.stop()
    }
    return running.size > 0 && held.isMine()
  }

  const signal = interrupted({ isUsual: true })
  await new Promise<void>(resolve => {
    const end = () => {
      clearInterval(timer)
      resolve()
    }
    const timer = setInterval(() => look() || end(), LOOK_MS)
    signal.addEventListener('abort', end)
    if (!look()) end()
  })
  await Promise.all([...running.values()].map(one => one.stop()))
  held.release()
  return 0
}
