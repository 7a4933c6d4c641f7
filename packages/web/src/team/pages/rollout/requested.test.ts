import { describe, expect, it } from 'vitest'
import { changedValues } from './requested.js'

describe('the values of a change request', () => {
  it('lists those of a call, without empty ones', () => {
    expect(changedValues('{"to":7,"note":"","remove":[],"drafts":[{"hookId":1}],"on":false}', {})).toEqual([
      { key: 'to', text: '7' },
      { key: 'drafts', text: '[{"hookId":1}]' },
      { key: 'on', text: 'no' },
    ])
  })

  it('lists only the settings that change', () => {
    const now = { fourEyes: true, soakMinutes: 60, rings: [{ name: 'all', share: 1 }] }
    const wanted = { soakMinutes: 5, rings: [{ name: 'all', share: 1 }] }
    expect(changedValues(JSON.stringify({ settings: wanted }), now)).toEqual([
      { key: 'fourEyes', text: 'yes → no' },
      { key: 'soakMinutes', text: '60 → 5' },
    ])
  })

  it.each(['', 'nonsense', 'null', '[]', '7'])('takes %j for no values', text =>
    expect(changedValues(text, null)).toEqual([]),
  )
})
