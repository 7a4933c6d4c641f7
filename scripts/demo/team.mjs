// Creates the demonstration team at the first start, all of it through the server's own API: people, hooks, releases,
// devices and a week of runs.

import { createHash, randomUUID } from 'node:crypto'
import { DeviceService, DevicesService, HooksService, PeopleService, RolloutService } from '@holdfast/team'
import { callerOf } from '@holdfast/team/caller'
import { DRAFT, HOOKS, NEXT } from './hooks.mjs'
import { chanceOf, weekOf } from './records.mjs'

export const PASSWORD = 'a quiet harbour at noon'
export const OWNER = { name: 'Ada', email: 'ada@example.com' }
const OTHERS = [
  { name: 'Ben', role: 'admin' },
  { name: 'Cleo', role: 'author' },
  { name: 'Dina', role: 'auditor' },
]
const MACHINES = ['Macintosh', 'Linux', 'Macintosh', 'Windows', 'Linux']
const PEOPLE = [
  'emil',
  'fatma',
  'gustav',
  'hana',
  'ivo',
  'jun',
  'kaja',
  'lars',
  'mina',
  'noor',
  'otto',
  'pia',
]
const GROUPS = ['platform', 'web', 'mobile', 'data']
/** A smaller number makes the test of `npm start` cheaper. */
const DEVICES = Number(process.env.HOLDFAST_DEMO_DEVICES ?? 36)
const RUNS_EACH = 140

const complain = message => new Error(message)

/**
 * Signs in by a link. It ends the session that this begins: the server limits the sessions of one address to four.
 */
async function join(url, link, { name, email }) {
  const body = new URLSearchParams({ name, email, password: PASSWORD, repeated: PASSWORD })
  const joined = await fetch(link, { method: 'POST', redirect: 'manual', headers: { origin: url }, body })
  if (joined.status !== 303) throw complain(`${name} could not join: ${joined.status}.`)
  return joined.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ')
}

async function callerIn(url, cookie) {
  const made = await fetch(`${url}/holdfast.team.v1.PeopleService/CreateToken`, {
    method: 'POST',
    headers: { origin: url, cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'demonstration', days: 1 }),
  })
  const { secret, message } = await made.json()
  if (!secret) throw complain(`No token was given: ${message}`)
  return callerOf(url, secret, complain)
}

/** Resolves with an enrolment key for the machine that the agent works on. */
export async function makeTeam(url, ownerLink) {
  const owner = await callerIn(url, await join(url, ownerLink, OWNER))
  const people = owner(PeopleService)
  const cookies = []
  for (const { name, role } of OTHERS) {
    const email = `${name.toLowerCase()}@example.com`
    const { link } = await people.inviteMember({ email, role })
    cookies.push(await join(url, link, { name, email }))
  }
  // Without a sandbox a second admin approves what the owner publishes.
  const { hasSandbox } = await people.getServer({})
  const admin = hasSandbox ? null : await callerIn(url, cookies[0])
  const publish = publishFor(owner, admin)
  await publish(HOOKS.slice(0, 2), 'The first two', true)
  await publish(HOOKS.slice(2), 'Secrets, and a look at installs', true)
  const { secret } = await owner(DevicesService).createEnrolmentKey({
    note: 'Laptops of the demonstration',
    maxUses: DEVICES + 50,
    hours: 24,
  })
  const { releases } = await owner(RolloutService).listReleases({ pageSize: 1 })
  await Promise.all(
    Array.from({ length: DEVICES }, (_, index) => addDevice(owner, url, secret, index, releases[0])),
  )
  await publish([NEXT], 'kubectl, too', false)
  await save(owner, DRAFT)
  return secret
}

const ids = new Map()

async function save(owner, { name, draft }) {
  const hooks = owner(HooksService)
  const id = ids.get(name) ?? 0
  const baseVersion = id === 0 ? 0 : (await hooks.getHook({ id })).hook.draftVersion
  const { hook } = await hooks.saveDraft({ id, name, draft, baseVersion })
  ids.set(name, hook.id)
  return hook
}

const publishFor = (owner, admin) => async (hooks, note, skipRings) => {
  const drafts = []
  for (const one of hooks) {
    const { id, draftVersion } = await save(owner, one)
    if (admin)
      await admin(HooksService).approveUnrun({ id, draftVersion, reason: 'A hook of the demonstration' })
    else await owner(HooksService).checkDraft({ id })
    drafts.push({ hookId: id, draftVersion })
  }
  await owner(RolloutService).publish({ drafts, note, skipRings })
}

/** A device of another user: it enrols, downloads its hooks, reports its state and sends its records. */
async function addDevice(owner, url, enrolmentKey, index, release) {
  const chance = chanceOf(index + 1)
  const deviceId = createHash('sha256').update(`demonstration ${index}`).digest('hex').slice(0, 32)
  const system = MACHINES[index % MACHINES.length]
  const facts = {
    name: `${PEOPLE[index % PEOPLE.length]}-${system === 'Macintosh' ? 'mac' : system.toLowerCase()}-${1 + Math.floor(index / PEOPLE.length)}`,
    operatingSystem: system,
    osVersion: { Macintosh: '15.1', Linux: '6.8', Windows: '11' }[system],
    clientVersion: '0.1.0',
  }
  const nobody = callerOf(url, '', complain)
  const { token } = await nobody(DeviceService).enrol({
    proof: { case: 'enrolmentKey', value: enrolmentKey },
    deviceId,
    facts,
  })
  const device = callerOf(url, token, complain)(DeviceService)
  // A few have not fetched the second release.
  const isBehind = index % 12 === 5
  await device.report({
    facts,
    release: isBehind ? release.number - 1 : release.number,
    releaseHash: isBehind ? '' : release.hash,
    trustVersion: 1,
    state: 'in_sync',
    problems:
      index % 17 === 3
        ? [{ code: 'clock', message: 'The clock is 4 minutes behind.', at: new Date().toISOString() }]
        : [],
  })
  const records = weekOf(
    index + 1,
    Date.now() - 60_000,
    Math.round(RUNS_EACH * (0.4 + chance.next())),
    release.number,
  )
  const lines = records.map(record => Buffer.from(JSON.stringify(record)))
  await device.sendRecords({
    segment: randomUUID(),
    from: 0,
    to: lines.reduce((sum, line) => sum + line.length + 1, 0),
    records: lines,
  })
  const devices = owner(DevicesService)
  await devices.setDeviceGroup({ id: deviceId, group: GROUPS[index % GROUPS.length] })
  await devices.setDeviceOwner({ id: deviceId, owner: `${PEOPLE[index % PEOPLE.length]}@example.com` })
}
