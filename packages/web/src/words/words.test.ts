import { afterEach, expect, it, vi } from 'vitest'
import { bytes, figure, percent, rough } from './number.js'
import { clock, day, span, stamp } from './time.js'

afterEach(() => vi.unstubAllGlobals())

const at = new Date(2026, 10, 3, 14, 2, 31, 904)

it.each([
  ['en-GB', '14:02:31', '3 Nov', '48,210', '0.4 %', '1.23 s'],
  ['en-US', '02:02:31 PM', 'Nov 3', '48,210', '0.4 %', '1.23 s'],
  ['de-DE', '14:02:31', '3. Nov.', '48.210', '0,4 %', '1,23 s'],
])('dates and figures follow the language of the browser: %s', (language, ...expected) => {
  vi.stubGlobal('navigator', { language })
  const texts = [clock(at), day(at), figure(48_210), percent(0.004), span(1234)]
  expect(texts.map(text => text.replaceAll(/\s/g, ' '))).toEqual(expected)
})

it('figures are short where space is scarce, and times are exact today', () => {
  vi.stubGlobal('navigator', { language: 'en-GB' })
  expect([rough(950), rough(12_300), rough(3_400_000)]).toEqual(['950', '12.3k', '3.4m'])
  expect([bytes(1), bytes(950), bytes(262_144), bytes(5_452_595)]).toEqual([
    '1 byte',
    '950 bytes',
    '256 KB',
    '5.2 MB',
  ])
  expect([span(0.062), span(4), span(999.6), span(18_400), span(180_000), span(-1)]).toEqual([
    '0.06 ms',
    '4 ms',
    '1.00 s',
    '18.4 s',
    '3 min',
    '–',
  ])
  expect(stamp(at, at.getTime())).toBe('14:02:31.904')
  expect(stamp(at, at.getTime() + 86_400_000)).toBe('3 Nov 14:02:31')
  expect(stamp('never')).toBe('no time')
})
