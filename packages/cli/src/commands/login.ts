// holdfast login: joins this machine to a team, approved on a page or with an enrolment key.

import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { interrupted } from '../interrupt.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { forgetBackground, startBackground } from '../team/background.js'
import { deviceOf, openTeamDoor } from '../team/door.js'
import { choose, noticeText } from '../team/notice.js'
import { hooksText } from '../team/report.js'
import { askForCode, serverAddress, waitForYes } from '../team/sign-in.js'
import { UsageError } from '../usage-error.js'

export const command: Command = {
  name: 'login',
  summary: 'Enrol this machine in a team',
  description:
    'You approve this machine on a page of the team server, with a code. Then the hooks of the team are installed here and kept up to date. Hooks are programs with your permissions. Before the first ones run, login shows a notice, and you can leave the team at any time.',
  arguments: [{ name: 'address', summary: 'address of the team server' }],
  options: [
    {
      options: {
        key: value('KEY', 'enrolment key, used instead of an approval; also from HOLDFAST_ENROLMENT_KEY'),
        fingerprint: value('TEXT', 'fail unless the team has this fingerprint'),
        yes: flag('accept the notice'),
        'no-background': flag('do not start the background refresh'),
        home,
      },
    },
    OUTPUT,
  ],
  exitCodes: { 0: 'enrolled', 1: 'not enrolled, or the hooks of the team were rejected' },
  examples: [
    'holdfast login https://hooks.example.com',
    'HOLDFAST_ENROLMENT_KEY=hfe_… holdfast login https://hooks.example.com --yes',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const [address] = given.positionals
  if (address === undefined)
    throw new UsageError(
      'login needs the address of your team server: holdfast login https://hooks.example.com',
    )
  const server = serverAddress(address)
  const { device, around, screen, home } = await deviceOf(given)
  const { formatFingerprint } = await openTeamDoor()
  const isJson = given.has('json')
  let expected = given.value('fingerprint')?.replace(/\s/g, '').toLowerCase()
  const key = given.value('key') ?? process.env.HOLDFAST_ENROLMENT_KEY
  const proof = key !== undefined ? { enrolmentKey: key } : { accessToken: await byPerson() }
  let isPinned = true
  const result = await device.enrol(around, {
    server,
    proof,
    confirm: async ({ name, fingerprint }) => {
      isPinned = expected === undefined || fingerprint.startsWith(expected)
      if (!isJson)
        print(`\n  ${visible(name)} has the fingerprint ${screen.bold(formatFingerprint(fingerprint))}\n`)
      return isPinned
    },
  })
  if (!isPinned)
    throw new UsageError(
      'The fingerprint of the team differs from --fingerprint. Nothing was stored. Ask the admin who gave you the fingerprint.',
    )
  if (!result.ok) {
    if (!('problem' in result)) throw new UsageError('The sign-in was cancelled.')
    const { code, message } = result.problem
    throw new UsageError(
      `${visible(message)}${code === 'offline' ? ' Check the address and try again.' : code === 'answer' ? ' Is this the address of a Holdfast team server?' : ''}`,
    )
  }
  const { team_id: teamId, team_name: teamName } = result.enrolment
  const synced = await device.sync(around, teamId)
  const status = device.readStatus(around, teamId)
  await (given.has('no-background') ? forgetBackground : startBackground)(home)
  if (isJson) {
    printJson({
      team: teamId,
      name: teamName,
      server,
      new_id: result.hasNewId,
      release: synced.inForce?.release ?? 0,
      hooks: synced.inForce?.hooks ?? 0,
      problem: synced.problem ?? null,
    })
    return synced.problem ? 1 : 0
  }
  print(`\n  This machine belongs to ${screen.bold(visible(teamName))}.\n`)
  if (result.hasNewId)
    print(
      '  Another machine of the team has the same id, for example because a disk was copied. This machine has a new id now.\n',
    )
  if (synced.problem) {
    printError(`Its hooks could not be installed yet: ${visible(synced.problem.message)}\n`)
    return 1
  }
  const hooks = synced.inForce?.hooks ?? 0
  if (hooks === 0) {
    print(
      '  The team has no hooks for this machine yet. Hooks published later are installed automatically.\n\n',
    )
    return 0
  }
  print(noticeText(visible(teamName), hooks, status?.release?.records ?? 'managed', screen))
  const choice = given.has('yes') ? 'continue' : await choose()
  if (choice === 'view' && status?.release) print(hooksText(status.release.hooks, around.platform, screen))
  if (choice === 'log-out') {
    await device.leave(around, teamId)
    if (device.enrolledTeams(home).length === 0) await forgetBackground(home)
    print('  Logged out; the hooks of the team were removed from this machine.\n\n')
    return 0
  }
  print('  holdfast team status shows the state, holdfast team leave removes the hooks.\n\n')
  return 0

  async function byPerson(): Promise<string> {
    const code = await askForCode(server, { name: around.facts.name, system: around.facts.operatingSystem })
    // The page must show the same device as the requests that follow.
    if (expected === undefined && code.fingerprint !== '') expected = code.fingerprint
    const words = `\n  Open ${screen.bold(visible(code.page))} and enter ${screen.bold(visible(code.userCode))}\n  or open ${visible(code.pageWithCode)}\n\n  The page must show the fingerprint ${screen.bold(formatFingerprint(code.fingerprint))}\n  Waiting for your approval. End with Ctrl-C.\n`
    if (isJson) printError(words)
    else print(words)
    return waitForYes(server, code, interrupted())
  }
}
