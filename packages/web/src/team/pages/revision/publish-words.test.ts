import { create } from '@bufbuild/protobuf'
import { GetRolloutSettingsResponseSchema, HookSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { because, labelOf } from './publish-words.js'

const hook = (more: object = {}) =>
  create(HookSchema, { id: 1, name: 'Guard', revision: 11, fit: true, ...more })
const plan = (more: object = {}) =>
  create(GetRolloutSettingsResponseSchema, {
    next: [
      { ring: 'canary', devices: 14 },
      { ring: 'all', devices: 266 },
    ],
    devices: 280,
    settings: {},
    ...more,
  })
const usual = { hooks: [hook()], plan: plan(), isAtOnce: false, isElsewhere: false }

describe('the button', () => {
  it.each([
    [usual, 'Publish revision 12 to ring canary, 14 devices'],
    [{ ...usual, isAtOnce: true }, 'Publish revision 12 to all devices, 280 devices'],
    [{ ...usual, hooks: [hook(), hook({ id: 2 })] }, 'Publish 2 hooks to ring canary, 14 devices'],
    [{ ...usual, isElsewhere: true }, 'Create a release with revision 12, to be signed'],
    [
      { ...usual, plan: plan({ next: [{ ring: 'all', devices: 1 }], devices: 1 }) },
      'Publish revision 12 to all devices, 1 device',
    ],
    [{ ...usual, plan: undefined }, 'Publish revision 12'],
  ])('says what will happen', (given, label) => expect(labelOf(given)).toBe(label))

  it.each([
    [{}, undefined],
    [{ mayNot: 'Not you.' }, 'Not you.'],
    [{ hooks: [hook({ fit: false })] }, /not tested/],
    [{ plan: plan({ waiting: 4 }) }, /Release 4 awaits/],
    [
      { plan: plan({ settings: { fourEyes: true } }), hooks: [hook({ draftBy: 'me' })] },
      /four-eyes, another admin/,
    ],
    [{ plan: plan({ settings: { fourEyes: true } }), hooks: [hook({ draftBy: 'you' })] }, undefined],
    [{ plan: undefined }, /not loaded/],
  ])('says why it cannot be pressed', (more, expected) => {
    const said = because({ mayNot: undefined, hooks: [hook()], userId: 'me', plan: plan(), ...more })
    if (expected === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(expected)
  })
})
