// The page of a release on its way: rings, halts, roll back, pins, settings, and the kill switch.

import { generateKeys, RolloutService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine, hasChromium, openWindow, picture, weigh } from './browser.js'
import { ALLOW_ALL, draft, enrol, type FleetDevice, publish } from './fleet.js'
import { type Person, startTeam, type TestTeam } from './team.js'

const REFUSED = [/status of 4\d\d/]
const failing = { outcome: 'failed', failed_open: true, failure: 'exit', permission: null, response: null }

describe.skipIf(!hasChromium())('the rollout', () => {
  let team: TestTeam
  let auditor: Person
  let author: Person
  const devices: FleetDevice[] = []
  beforeAll(async () => {
    team = await startTeam()
    auditor = await team.member('auditor', 'Vera')
    author = await team.member('author', 'Ada')
    for (let index = 1; index <= 20; index++) {
      devices.push(
        await enrol(team, `laptop ${String(index).padStart(2, '0')}`, { group: index % 2 ? 'odd' : 'even' }),
      )
    }
  })
  afterAll(() => team.stop())
  const open = (person: Person, more: object = {}) => openWindow({ cookies: person.cookies, ...more })
  const rollout = () => team.owner.as(RolloutService)
  const newest = async () => (await rollout().listReleases({})).releases[0]!

  it('begins with nothing, and says what a release is', async () => {
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout`)
    await page.getByRole('heading', { name: 'Nothing was released yet' }).waitFor()
    await picture(page, 'team-rollout-empty')
    await close()
  })

  it('shows the rings from left to right, with devices, gates and limits, and moves as devices take it', async () => {
    const hook = await draft(team.owner, 'Guard')
    await publish(team.owner, hook, { note: 'The first guard' })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout`)
    await page.getByRole('heading', { name: 'Release 1' }).waitFor()
    const rings = page.getByRole('list', { name: 'Rings' }).getByRole('listitem')
    expect(await rings.count()).toBe(3)
    expect(await rings.nth(0).textContent()).toMatch(
      /canary is here.*0 of 1 device seen.*min left, 0 of 20 runs seen/,
    )
    expect(await rings.nth(1).textContent()).toMatch(
      /early not reached yet.*0 of 4 devices.*goes on after 1 h and 20 runs/,
    )
    expect(await rings.nth(2).textContent()).toMatch(/all not reached yet.*0 of 15 devices.*everybody/)
    await page.getByText('Halts above 5.0 % failed runs on at least 1 device; now 0 % on 0.').waitFor()
    const { release } = await rollout().getRelease({ number: 1 })
    expect(release!.health[0]).toMatchObject({ ring: 'canary', devices: 1 })
    for (const device of devices) await device.has(1)
    await expect.poll(() => rings.nth(0).textContent(), { timeout: 15_000 }).toContain('1 of 1 device seen')
    await page.getByText('Guard').first().waitFor()
    await picture(page, 'team-rollout')
    await close()
  })

  it('advances once, whatever is pressed, and no further than was seen', async () => {
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout/1`)
    const opener = page.getByRole('button', { name: 'Advance to ring early, 4 devices' })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: 'Advance release 1 to ring early?' })
    await dialog.waitFor()
    await examine(page, 'advancing')
    await page.keyboard.press('Escape')
    await expect.poll(() => opener.evaluate(node => node === document.activeElement)).toBe(true)
    await opener.click()
    await dialog.getByRole('button', { name: 'Advance to ring early, 4 devices' }).dblclick()
    await page.getByRole('button', { name: 'Advance to ring all, 15 devices' }).waitFor()
    expect(await newest()).toMatchObject({ ring: 1, state: 'rolling' })
    await expect(rollout().advance({ number: 1, fromRing: 0 })).rejects.toThrow(/has left that ring already/)
    await close()
  })

  it('is halted with a reason, which everybody reads, and resumed', async () => {
    const { page, close } = await open(author)
    await page.goto(`${team.url}/rollout`)
    await page.getByRole('button', { name: 'Halt', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Halt release 1?' })
    const halt = dialog.getByRole('button', { name: 'Halt release 1' })
    expect(await halt.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('Why').fill('It asks about every command')
    await halt.click()
    await page.getByRole('alert').getByText('It asks about every command').waitFor()
    await picture(page, 'team-rollout-halted')
    expect(await newest()).toMatchObject({ state: 'halted', haltedBecause: 'It asks about every command' })
    const resume = page.getByRole('button', { name: 'Resume' })
    expect(await resume.getAttribute('title')).toContain('author')
    await close()
    const other = await open(team.owner)
    await other.page.goto(`${team.url}/rollout`)
    await other.page.getByRole('button', { name: 'Resume' }).click()
    await other.page.getByRole('button', { name: 'Resume release 1' }).click()
    await other.page.getByRole('button', { name: 'Halt', exact: true }).waitFor()
    expect(await newest()).toMatchObject({ state: 'rolling', haltedBecause: '' })
    await other.close()
  })

  it('says how near the limits are, by what devices have sent', async () => {
    const [first] = devices
    await first!.send(
      ...Array.from({ length: 12 }, (_, index) => ({
        release: 1,
        revision: 1,
        hook_id: 1,
        ...(index < 3 ? failing : {}),
      })),
    )
    await expect
      .poll(async () => (await rollout().getRelease({ number: 1 })).release?.evidence?.runs, {
        timeout: 15_000,
      })
      .toBe(10)
    const { release } = await rollout().getRelease({ number: 1 })
    const { page, close } = await open(auditor)
    await page.goto(`${team.url}/rollout/1`)
    const percent = (release!.evidence!.failureRate * 100).toFixed(1)
    await page.getByText(`now ${percent} % on 1.`).waitFor()
    await close()
  })

  it('the list of releases says what each changed; an older one comes back as a new one', async () => {
    const [hook] = (await newest()).hooks
    await draft(team.owner, 'Guard', { scriptContent: ALLOW_ALL }, hook!.hookId).then(again =>
      publish(team.owner, again, { note: 'Lets all through', skipRings: true }),
    )
    await publish(team.owner, await draft(team.owner, 'Second'), { note: 'One more', skipRings: true })
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout?tab=releases`)
    const list = page.getByRole('list', { name: 'Releases' }).getByRole('listitem')
    await list.first().waitFor()
    expect(await list.nth(0).textContent()).toMatch(/Release 3.*everywhere.*One more.*added Second/)
    expect(await list.nth(1).textContent()).toMatch(/Release 2.*replaced.*Lets all through.*changed Guard/)
    await picture(page, 'team-rollout-releases')
    await list.nth(2).getByRole('button', { name: 'Roll back to this' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll back to release 1' })
    await dialog.getByText('revision 2 → 1').waitFor()
    await dialog.getByText('is taken out').waitFor()
    await picture(page, 'team-rollout-back')
    await dialog.getByRole('button', { name: 'Roll back to release 1, 20 devices' }).dblclick()
    await page.waitForURL(`${team.url}/rollout/4`)
    await page.getByText('with the hooks of').waitFor()
    expect(await newest()).toMatchObject({
      number: 4,
      rollsBackTo: 1,
      state: 'done',
      note: 'Back to release 1',
    })
    await close()
  })

  it('pins a device or a group until a day, and lets it go again', async () => {
    const { page, close } = await open(team.owner, { tolerate: REFUSED })
    await page.goto(`${team.url}/rollout?tab=pins`)
    await page.getByRole('heading', { name: 'Nothing is pinned' }).waitFor()
    await page.getByRole('button', { name: 'Pin a device or a group' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pin a device or a group' })
    await dialog.getByLabel('Device', { exact: true }).fill('laptop 03')
    await dialog.getByLabel('Release').selectOption('3')
    await dialog.getByLabel('Why').fill('A demonstration')
    await examine(page, 'pinning')
    await dialog.getByRole('button', { name: 'Pin to release 3' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const table = page.getByRole('table', { name: 'Pins' })
    expect(await table.getByRole('row').nth(1).textContent()).toMatch(/laptop 03.*3.*A demonstration/)
    await page.getByRole('button', { name: 'Pin a device or a group' }).click()
    await dialog.getByLabel('all devices of a group').check()
    await dialog.getByLabel('Group', { exact: true }).fill('odd')
    await dialog.getByRole('button', { name: /^Pin to release/ }).click()
    await dialog.waitFor({ state: 'hidden' })
    await table.getByText('group odd').waitFor()
    await picture(page, 'team-rollout-pins')
    await table
      .getByRole('row', { name: /group odd/ })
      .getByRole('button', { name: 'Unpin' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unpin' }).click()
    await table.getByText('group odd').waitFor({ state: 'hidden' })
    expect((await rollout().listPins({})).pins).toMatchObject([{ deviceId: devices[2]!.id, release: 3 }])
    await close()
  })

  it('settings are checked while one types, mean a sentence, and are saved', async () => {
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout?tab=settings`)
    await page.getByText('A release goes to canary (the first 5.0 %), then early').waitFor()
    await picture(page, 'team-rollout-settings')
    const save = page.getByRole('button', { name: 'Save rings and limits' })
    const shares = page.getByLabel('Reaches up to, %')
    await shares.nth(1).fill('3')
    await page.getByText('Its share must be above 5.0 % and at most 100 %.').waitFor()
    expect(await save.getAttribute('aria-disabled')).toBe('true')
    await examine(page, 'settings that are wrong')
    await shares.nth(1).fill('50')
    await page.getByLabel('Minutes in each ring').fill('0')
    await page.getByLabel('Halt above failed runs, %').fill('2')
    await page.getByText('each step is taken by hand. It halts by itself above 2.0 % failed').waitFor()
    await save.click()
    await page.getByText('Saved. The next release goes out this way.').waitFor()
    const { settings } = await rollout().getRolloutSettings({})
    expect(settings).toMatchObject({ soakMinutes: 0, failureLimit: 0.02 })
    expect(settings!.rings[1]).toMatchObject({ name: 'early', share: 0.5 })
    await close()
  })

  it('the kill switch wants a reason and the name of the team, and then stands over every page', async () => {
    const { page, close } = await open(team.owner)
    await page.goto(`${team.url}/rollout`)
    const opener = page.getByRole('button', { name: 'Switch it on…' })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: 'Take all hooks of the team away?' })
    await dialog.getByText('20 devices').first().waitFor()
    await dialog.getByText('Devices that listen to the server obey within a minute').waitFor()
    const kill = dialog.getByRole('button', { name: 'Take all hooks away from 20 devices' })
    await dialog.getByLabel('Why').fill('The guard blocks the incident')
    await dialog.getByLabel(/^Type/).fill('harbour')
    expect(await kill.getAttribute('aria-disabled')).toBe('true')
    await picture(page, 'team-rollout-kill')
    await dialog.getByLabel(/^Type/).fill('Harbour works')
    await kill.click()
    await page.getByText('The kill switch is on.').waitFor()
    expect(await rollout().getRolloutSettings({})).toMatchObject({ killed: true })
    await page.goto(`${team.url}/hooks`)
    await page.getByText('The guard blocks the incident').waitFor()
    await picture(page, 'team-killed')
    await page.getByRole('link', { name: 'To Rollout' }).click()
    await page.getByRole('button', { name: 'Switch it off…' }).click()
    await page.getByRole('button', { name: 'Give the hooks back to 20 devices' }).click()
    await page.getByText('The kill switch is on.').waitFor({ state: 'hidden' })
    await close()
  })

  it('an auditor sees all of it, and every control says who may', async () => {
    const { page, close } = await open(auditor)
    const sent: string[] = []
    page.on('request', request => {
      if (
        /RolloutService\/(Halt|Advance|Resume|RollBack|SetKillSwitch|SetRolloutSettings|Pin|Unpin)$/.test(
          request.url(),
        )
      )
        sent.push(request.url())
    })
    await page.goto(`${team.url}/rollout`)
    for (const name of ['Halt', 'Switch it on…']) {
      const button = page.getByRole('button', { name, exact: true })
      expect(await button.getAttribute('title')).toContain('auditor')
      await button.click({ force: true })
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('halt')
    await page.getByText('Nothing is called').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Rings and limits' }).click()
    expect(await page.getByLabel('Minutes in each ring').isDisabled()).toBe(true)
    expect(sent).toEqual([])
    const calls = auditor.as(RolloutService)
    for (const refused of [
      calls.halt({ number: 4, reason: 'x' }),
      calls.setKillSwitch({ on: true, reason: 'x' }),
      calls.rollBack({ to: 1 }),
      calls.unpin({ group: 'odd' }),
    ])
      await expect(refused).rejects.toThrow(/permission_denied/)
    await close()
  })

  it('numbers of nothing, and a server that fails, are said', async () => {
    const { page, close } = await open(auditor, { tolerate: [/status of [45]\d\d/] })
    await page.goto(`${team.url}/rollout/999`)
    await page.getByText('There is no release 999.').waitFor()
    await page.goto(`${team.url}/rollout/nonsense`)
    await page.getByRole('heading', { name: 'There is no such release' }).waitFor()
    await page.route('**/RolloutService/ListReleases*', route => route.fulfill({ status: 500 }))
    await page.goto(`${team.url}/rollout?tab=releases`)
    await page.getByRole('heading', { name: 'That did not load' }).waitFor()
    await examine(page, 'a page that did not load')
    await page.unroute('**/RolloutService/ListReleases*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('list', { name: 'Releases' }).waitFor()
    await close()
  })

  it('loads little first', async () => {
    const { page, close } = await open(team.owner)
    for (const path of ['/hooks', '/hooks/new', '/hooks/1/rev/1', '/rollout']) {
      const { kb, files } = await weigh(page, `${team.url}${path}`)
      const shown = files.filter(file => !/setup|view-|dist-|json|languages/.test(file))
      if (process.env.SHOW_WEIGHT) process.stdout.write(`${path} ${kb.toFixed(1)} KB\n`)
      if (path === '/hooks' || path === '/rollout') expect(kb, shown.join('\n')).toBeLessThan(200)
    }
    await close()
  })
})

describe.skipIf(!hasChromium())('a release key that is kept elsewhere', () => {
  it('shows what must be signed and the command, and goes on when somebody has', async () => {
    const { publicKey, privateKey } = generateKeys()
    const team = await startTeam('Harbour works', { releaseKey: publicKey })
    try {
      const hook = await draft(team.owner, 'Guard')
      const { page, close } = await openWindow({ cookies: team.owner.cookies })
      await page.goto(`${team.url}/hooks/${hook.id}/rev/draft?tab=dry-run`)
      await page.getByRole('button', { name: 'Run on 1 sample' }).click()
      await page.getByRole('button', { name: 'Make a release with revision 1, to be signed' }).click()
      await page.waitForURL(`${team.url}/rollout/1`)
      await page.getByText(`holdfast keys sign --server ${team.url} --release 1 --key release.key`).waitFor()
      await picture(page, 'team-rollout-unsigned')
      const second = await draft(team.owner, 'Second')
      await page.goto(`${team.url}/hooks/${second.id}/rev/draft`)
      await page.getByText('Release 1 waits for its signature. Sign it, or halt it, first.').waitFor()
      await page.goto(`${team.url}/rollout`)
      await page.getByRole('heading', { name: 'Waits for its signature' }).waitFor()
      const { signPayload } = await import('@holdfast/team')
      const calls = team.owner.as(RolloutService)
      const { seal } = await calls.getRelease({ number: 1 })
      const signature = signPayload('release', seal!.payload, privateKey)
      await calls.sign({ number: 1, signature })
      await page.getByText('rolling out').waitFor({ timeout: 15_000 })
      await close()
    } finally {
      await team.stop()
    }
  })
})
