// holdfast login: this machine joins a team, by a person who approves it or by an enrolment key.

import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { noMore, OUTPUT, parse } from '../options.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { forgetBackground, startBackground } from '../team/background.js'
import { deviceOf, openTeamDoor } from '../team/door.js'
import { choose, noticeText } from '../team/notice.js'
import { hooksText } from '../team/report.js'
import { askForCode, serverAddress, waitForYes } from '../team/sign-in.js'

const OPTIONS = {
  ...OUTPUT,
  home: 'value',
  key: 'value',
  fingerprint: 'value',
  'no-background': 'flag',
  yes: 'flag',
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('login', argv, OPTIONS)
  if (given.has('help')) return showHelp('login')
  noMore('login', given.positionals, 1)
  const [address] = given.positionals
  if (address === undefined)
    throw new Complaint(
      'login needs the address of your team server: holdfast login https://hooks.example.com',
    )
  const server = serverAddress(address)
  const { device, around, screen, home } = await deviceOf(given)
  const { sayFingerprint } = await openTeamDoor()
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
        print(`\n  ${visible(name)} has the fingerprint ${screen.bold(sayFingerprint(fingerprint))}\n`)
      return isPinned
    },
  })
  if (!isPinned)
    throw new Complaint(
      'The team has another fingerprint than the one that was given. Nothing was kept. Ask who gave it to you.',
    )
  if (!result.ok) {
    if (!('problem' in result)) throw new Complaint('The sign-in was given up.')
    const { code, message } = result.problem
    throw new Complaint(
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
      '  Another machine of the team has the id that this one had, as after a disk was copied. It has a new id now.\n',
    )
  if (synced.problem) {
    printError(`Its hooks could not be taken yet: ${visible(synced.problem.message)}\n`)
    return 1
  }
  const hooks = synced.inForce?.hooks ?? 0
  if (hooks === 0) {
    print('  It has no hooks for this machine yet; they come by themselves.\n\n')
    return 0
  }
  print(noticeText(visible(teamName), hooks, status?.release?.records ?? 'managed', screen))
  const choice = given.has('yes') ? 'continue' : await choose()
  if (choice === 'view' && status?.release) print(hooksText(status.release.hooks, around.platform, screen))
  if (choice === 'log-out') {
    await device.leave(around, teamId)
    if (device.enrolledTeams(home).length === 0) await forgetBackground(home)
    print('  Logged out; the hooks of the team are gone from this machine.\n\n')
    return 0
  }
  print('  holdfast team status shows how it stands, holdfast team leave ends it.\n\n')
  return 0

  async function byPerson(): Promise<string> {
    const code = await askForCode(server, { name: around.facts.name, system: around.facts.operatingSystem })
    // What the page shows must be what comes afterwards.
    if (expected === undefined && code.fingerprint !== '') expected = code.fingerprint
    const words = `\n  Open ${screen.bold(visible(code.page))} and enter ${screen.bold(visible(code.userCode))}\n  or go straight to ${visible(code.pageWithCode)}\n\n  The page must show the fingerprint ${screen.bold(sayFingerprint(code.fingerprint))}\n  Waiting for your yes. End with Ctrl-C.\n`
    if (isJson) printError(words)
    else print(words)
    return waitForYes(server, code, interrupted())
  }
}
