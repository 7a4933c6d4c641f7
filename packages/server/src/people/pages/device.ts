// A user approves a device by its code, after seeing its description.

import { networkOf } from '../../access/address.js'
import { RequestError } from '../../request-error.js'
import type { DeviceCodeRow } from '../../store/schema.js'
import { pendingCode } from '../../store/sign-in.js'
import type { SignedIn } from '../auth.js'
import { fingerprint, forEyes } from '../trust.js'
import { readFacts } from './device-code.js'
import { html } from './html.js'
import { layout, problem } from './layout.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

export const codePage = ({ team }: Site, visit: Visit, _: SignedIn, sentence = ''): Reply => {
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

/** Claims the code for this user, and shows the device. */
export async function lookAtDevice(site: Site, visit: Visit, me: SignedIn): Promise<Reply> {
  const { team, auth } = site
  try {
    const found = await findCode(site, visit, me, (await visit.form()).get('user_code'))
    await auth.ask(`/device?user_code=${found.userCode}`, visit)
    const row = await pending(site, found.userCode)
    mustBeMine(site, row, me)
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
    if (error instanceof RequestError) return codePage(site, visit, me, error.message)
    throw error
  }
}

export async function decide(
  site: Site,
  visit: Visit,
  me: SignedIn,
  verb: 'approve' | 'deny',
): Promise<Reply> {
  const { team, auth } = site
  try {
    const row = await findCode(site, visit, me, (await visit.form()).get('user_code'))
    mustBeMine(site, row, me)
    const response = await auth.ask(`/device/${verb}`, visit, { userCode: row.userCode })
    if (!response.ok) throw gone()
    const name = readFacts(row.scope).name
    const body =
      verb === 'approve'
        ? html`<p><strong>${name}</strong> may join the team. It continues automatically within a few seconds.</p>
<p><a href="/devices">To the devices</a></p>`
        : html`<p><strong>${name}</strong> was rejected.</p>`
    const title = verb === 'approve' ? 'Approved' : 'Denied'
    return { page: layout({ title, team: team.name, isInside: true }, body) }
  } catch (error) {
    if (error instanceof RequestError) return codePage(site, visit, me, error.message)
    throw error
  }
}

/** A pending code. Wrong codes are rate-limited. */
async function findCode(
  site: Site,
  { address }: Visit,
  { user }: SignedIn,
  typed: string | null,
): Promise<DeviceCodeRow> {
  const code = toCode(typed)
  if (code === '')
    throw new RequestError('invalid', 'A code has eight letters, like BCDF-GHJK. Check it on the device.')
  const keys = [user.id, networkOf(address)]
  const waits = await Promise.all(keys.map(key => site.codes.take(key)))
  if (Math.max(...waits) > 0) {
    site.refused('device code', user.email, `too many wrong codes, from ${address}`)
    throw new RequestError(
      'too-much',
      'Too many wrong codes. Wait ten minutes, then ask the device for a new one.',
    )
  }
  const row = await pending(site, code)
  if (!row) {
    for (const key of keys) await site.codes.failed(key)
    site.refused('device code', user.email, `wrong code, from ${address}`)
    throw gone()
  }
  for (const key of keys) await site.codes.giveBack(key)
  return row
}

async function pending({ team }: Site, code: string): Promise<DeviceCodeRow | undefined> {
  const row = await pendingCode(team.store.db, code)
  return row && new Date(row.expiresAt).getTime() > Date.now() ? row : undefined
}

function mustBeMine(site: Site, row: DeviceCodeRow | undefined, { user }: SignedIn): void {
  if (!row) throw gone()
  if (row.userId === user.id) return
  site.refused('device code', user.email, 'the code is claimed by somebody else, or by nobody')
  throw new RequestError('forbidden', 'Another user opened this code first. Ask the device for a new one.')
}

const gone = (): RequestError =>
  new RequestError(
    'missing',
    'No device waits with this code. A code is valid once, for ten minutes: check it on the device.',
  )

const toCode = (typed: string | null): string => {
  const code = (typed ?? '').toUpperCase().replace(/[\s-]/g, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? code : ''
}

const spelled = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
