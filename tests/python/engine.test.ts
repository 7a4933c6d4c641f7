// A Python hook in the real engine: its deny counts in every version.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openHooks } from '../../packages/hooks/src/index.js'
import { eventsUnder, PROFILE_NAMES, PROFILES } from '../../packages/hooks/src/protocol/profiles.js'
import { root } from '../architecture/source.js'
import { python3 } from './python3.js'

const GUARD = `import sys
sys.path.insert(0, ${JSON.stringify(join(root, 'python'))})
from holdfast_hooks import EVENTS, deny, hook

@hook.on(*EVENTS)
def guard(payload):
    print("looking at", payload["hook_event_name"])
    return deny("No.", agent="Try something else.")

hook.run()
`

const stoppable = PROFILE_NAMES.flatMap(name =>
  [...eventsUnder(PROFILES[name]).values()]
    .filter(({ gate }) => gate !== 'none')
    .map(spec => ({ name, event: spec.name, spec })),
)

describe.skipIf(!python3)('a Python hook', () => {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-python-'))
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  it.each(stoppable)('counts in $name on $event', async ({ name, event, spec }) => {
    const folder = join(base, `${name}-${event}`)
    mkdirSync(join(folder, '.cursor'), { recursive: true })
    const script = join(folder, 'guard.py')
    writeFileSync(script, GUARD)
    const hooks = { [event]: [{ command: `'${python3}' -I -S -B '${script}'` }] }
    writeFileSync(join(folder, '.cursor/hooks.json'), JSON.stringify({ version: 1, hooks }))
    const engine = await openHooks({
      workspaceRoots: [folder],
      home: join(base, 'home'),
      enterpriseDir: join(base, 'none'),
      profile: name,
      trustAll: true,
      watch: false,
    })
    try {
      const verdict = await engine.fire(event, spec.sample as never)
      expect([verdict.permission, verdict.continue]).toContain(spec.gate === 'permission' ? 'deny' : false)
      if (spec.answer.user_message) expect(verdict.userMessage).toBe('No.')
      // The print did not spoil it: nothing came before the response.
      expect(verdict.runs.flatMap(({ notes }) => notes).map(({ code }) => code)).not.toContain(
        'note/text-before',
      )
    } finally {
      engine.close()
    }
  })
})
