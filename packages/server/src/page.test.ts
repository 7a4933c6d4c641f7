import { expect, it } from 'vitest'
import { after, paged, sizeOf, tokenOf } from './page.js'

it.each([
  [0, 50],
  [1, 1],
  [500, 500],
  [501, 500],
  [2 ** 31, 500],
])('gives a page of the size %d %d rows', (pageSize, size) => {
  expect(sizeOf({ pageSize })).toBe(size)
})

it('refuses a negative size', () => {
  expect(() => sizeOf({ pageSize: -1 })).toThrow('page_size is -1')
})

it('goes on after the last row of a page', () => {
  const { rows, nextPageToken } = paged(
    [['a', 1] as const, ['b', 2] as const, ['c', 3] as const],
    2,
    row => row,
  )
  expect(rows).toEqual([
    ['a', 1],
    ['b', 2],
  ])
  expect(after({ pageToken: nextPageToken }, ['', 0])).toEqual(['b', 2])
  expect(paged([1, 2], 2, row => [row])).toEqual({ rows: [1, 2], nextPageToken: '' })
  expect(after({ pageToken: '' }, ['', 0])).toBe(null)
})

it.each([
  ['no base64', '!'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['no list', Buffer.from('"ab"').toString('base64url')],
  ['a shorter list', tokenOf(['a'])],
  ['a longer list', tokenOf(['a', 1, 2])],
  ['a number instead of a text', tokenOf([1, 1])],
  ['a text instead of a number', tokenOf(['a', '1'])],
  ['a number that is not whole', tokenOf(['a', 1.5])],
  ['a number that is too large', tokenOf(['a', 2 ** 60])],
  ['an object', Buffer.from('[{},1]').toString('base64url')],
])('refuses a token that is %s', (_, pageToken) => {
  expect(() => after({ pageToken }, ['', 0])).toThrow('page_token is not one of this server')
})
