// A person lets a device in: by the code that it shows, after seeing what it says of itself.

import { networkOf } from '../../access/address.js'
import { Refusal } from '../../refusal.js'
import type { DeviceCodeRow } from '../../store/schema.js'
import type { SignedIn } from '../auth.js'
import { fingerprint, forEyes } from '../trust.js'
import { readFacts } from './device-code.js'
import type { House } from './house.js'
import { html } from './html.js'
import { layout, problem } from './layout.js'
import type { Reply, Visit } from './visit.js'

export const codePage = ({ team }: House, visit: Visit, _: SignedIn, sentence = ''): Reply => {
  const given = toCode(visit.url.searchParams.get('user_code'))
  const body = html`${problem(sentence)}
<p>Type the code that the device shows.</p>
<form method="post" action="/device">
<p class="field"><label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" value="${given === '' ? '' : spelled(given)}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="11" required></p>
<p class="row"><button>Continue</button></p>
</form>`
  return {
    status: sentence === '' ? 200 : 400,
    page: layout({ title: 'Approve a device', team: team.name, isInside: true }, body),
  }
}

/** Claims the code for this person, and shows the device. */
export async function lookAtDevice(house: House, visit: Visit, me: SignedIn): Promise<Reply> {
  const { team, auth } = house
  try {
    const found = await findCode(house, visit, me, (await visit.form()).get('user_code'))
    await auth.ask(`/device?user_code=${found.userCode}`, visit)
    const row = await pending(house, found.userCode)
    mustBeMine(house, row, me)
    const facts = readFacts(row?.scope ?? null)
    const pin = forEyes(await fingerprint(team.store.db))
    const body = html`<p>This device wants to join the team. Go on only if it is yours and the code was asked for just now.</p>
<dl>
<dt>Code</dt><dd><code>${spelled(found.userCode)}</code></dd>
<dt>Name</dt><dd>${facts.name}</dd>
<dt>System</dt><dd>${facts.system}</dd>
<dt>Address</dt><dd>${facts.address}</dd>
<dt>Asked at</dt><dd>${facts.at}</dd>
<dt>Fingerprint</dt><dd><code>${pin || 'none yet'}</code></dd>
</dl>
<p class="hint">The device shows the same fingerprint. If it differs, it speaks to another server: deny it.</p>
<div class="row">
<form method="post" action="/device/approve"><input type="hidden" name="user_code" value="${found.userCode}"><button>Approve</button></form>
<form method="post" action="/device/deny"><input type="hidden" name="user_code" value="${found.userCode}"><button class="quiet">Deny</button></form>
</div>
<p class="hint">It will receive the team's hooks and send what they did. It cannot act as you.</p>`
    return { page: layout({ title: 'Approve this device?', team: team.name, isInside: true }, body) }
  } catch (error) {
    if (error instanceof Refusal) return codePage(house, visit, me, error.message)
    throw error
  }
}

export async function decide(
  house: House,
  visit: Visit,
  me: SignedIn,
  verb: 'approve' | 'deny',
): Promise<Reply> {
  const { team, auth } = house
  try {
    const row = await findCode(house, visit, me, (await visit.form()).get('user_code'))
    mustBeMine(house, row, me)
    const response = await auth.ask(`/device/${verb}`, visit, { userCode: row.userCode })
    if (!response.ok) throw gone()
    const name = readFacts(row.scope).name
    const body =
      verb === 'approve'
        ? html`<p><strong>${name}</strong> may join the team. It goes on by itself within a few seconds.</p>
<p><a href="/devices">To the devices</a></p>`
        : html`<p><strong>${name}</strong> was turned away.</p>`
    const title = verb === 'approve' ? 'Approved' : 'Denied'
    return { page: layout({ title, team: team.name, isInside: true }, body) }
  } catch (error) {
    if (error instanceof Refusal) return codePage(house, visit, me, error.message)
    throw error
  }
}

/** A code that waits. Who is wrong too often has to wait, too. */
async function findCode(
  house: House,
  { address }: Visit,
  { user }: SignedIn,
  typed: string | null,
): Promise<DeviceCodeRow> {
  const code = toCode(typed)
  if (code === '')
    throw new Refusal('invalid', 'A code has eight letters, like BCDF-GHJK. Look at the device again.')
  const keys = [user.id, networkOf(address)]
  const waits = await Promise.all(keys.map(key => house.codes.take(key)))
  if (Math.max(...waits) > 0) {
    house.refused('device code', user.email, `too many wrong codes, from ${address}`)
    throw new Refusal(
      'too-much',
      'Too many wrong codes. Wait ten minutes, then ask the device for a new one.',
    )
  }
  const row = await pending(house, code)
  if (!row) {
    for (const key of keys) await house.codes.failed(key)
    house.refused('device code', user.email, `wrong code, from ${address}`)
    throw gone()
  }
  for (const key of keys) await house.codes.giveBack(key)
  return row
}

async function pending({ team }: House, code: string): Promise<DeviceCodeRow | undefined> {
  const row = await team.store.db
    .selectFrom('deviceCode')
    .select(['id', 'deviceCode', 'userCode', 'userId', 'status', 'scope', 'expiresAt'])
    .where('userCode', '=', code)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return row && new Date(row.expiresAt).getTime() > Date.now() ? row : undefined
}

function mustBeMine(house: House, row: DeviceCodeRow | undefined, { user }: SignedIn): void {
  if (!row) throw gone()
  if (row.userId === user.id) return
  house.refused('device code', user.email, 'the code is claimed by somebody else, or by nobody')
  throw new Refusal('forbidden', 'Somebody else opened this code first. Ask the device for a new one.')
}

const gone = (): Refusal =>
  new Refusal(
    'missing',
    'No device waits with this code. It holds for ten minutes, and once: look at the device again.',
  )

const toCode = (typed: string | null): string => {
  const code = (typed ?? '').toUpperCase().replace(/[\s-]/g, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? code : ''
}

const spelled = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
