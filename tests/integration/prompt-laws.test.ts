// The two guarantees for messages of the user: random hooks that deny some messages and rewrite others. The checks use no
// code of the engine.

import { HookBlockedError } from '@holdfast/hooks'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Workspace } from '../fixtures/workspace.js'
import { randomRuns } from '../scope.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const SOURCES = ['enterprise', 'team', 'project', 'user'] as const
const PROMPTS = ['a', 'b', 'c', ''] as const

const hook = fc.record({
  source: fc.constantFrom(...SOURCES),
  denies: fc.subarray([...PROMPTS], { maxLength: 2 }),
  rewrites: fc.dictionary(fc.constantFrom(...PROMPTS), fc.constantFrom(...PROMPTS), { maxKeys: 3 }),
})

it('sends only a message that every other hook has seen and none denied', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hook, { maxLength: 5 }), fc.constantFrom(...PROMPTS), async (drawn, sent) => {
      const hooks = await space.open()
      const seen = drawn.map(() => new Set<string>())
      drawn.forEach(({ source, denies, rewrites }, index) => {
        hooks.register({
          event: 'beforeSubmitPrompt',
          source,
          run: ({ prompt }) => {
            seen[index]!.add(prompt)
            if (denies.includes(prompt as never)) return { continue: false }
            const next = Object.hasOwn(rewrites, prompt) ? rewrites[prompt] : undefined
            return next === undefined ? {} : { updated_prompt: next }
          },
        })
      })
      let result: string | undefined
      try {
        result = (await hooks.guard('beforeSubmitPrompt', { prompt: sent })).prompt
      } catch (error) {
        if (!HookBlockedError.isInstance(error)) throw error
      } finally {
        await hooks.close()
      }
      if (drawn.some(({ denies }) => denies.includes(sent as never))) expect(result).toBeUndefined()
      if (result === undefined) return
      const author = (index: number) =>
        result !== sent && Object.values<string>(drawn[index]!.rewrites).includes(result!)
      const others = drawn.map((_, index) => index).filter(index => !seen[index]!.has(result!))
      // Only the hook that wrote the message may not have seen it.
      expect(others.length).toBeLessThanOrEqual(1)
      for (const index of others) expect(author(index)).toBe(true)
      for (const { denies } of drawn.filter((_, index) => !others.includes(index)))
        expect(denies).not.toContain(result)
    }),
    { numRuns: randomRuns(400) },
  )
})
