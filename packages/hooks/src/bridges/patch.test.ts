import { describe, expect, it } from 'vitest'
import { patchedFiles } from './patch.js'

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')

describe('a patch', () => {
  it('reads an empty line as an empty line of the file', () => {
    const text = patch('*** Update File: a.txt', ' one', '', '-two', '+2', ' three')
    expect(patchedFiles(text)).toEqual([
      { path: 'a.txt', edits: [{ old_string: 'one\n\ntwo\nthree', new_string: 'one\n\n2\nthree' }] },
    ])
  })

  it('may be indented, but a leading space between changes marks a line of the file', () => {
    const text = patch('  *** Update File: a.txt', '@@', ' *** Update File: b.txt', '-x', '+y')
    const held = '*** Update File: b.txt'
    expect(patchedFiles(text)).toEqual([
      { path: 'a.txt', edits: [{ old_string: `${held}\nx`, new_string: `${held}\ny` }] },
    ])
    expect(patchedFiles(patch('*** Add File: a', '+x', '  *** Add File: b', '+y'))).toMatchObject([
      { path: 'a' },
      { path: 'b' },
    ])
  })

  it('uses the new name of a moved file, and skips the end-of-file mark', () => {
    const text = patch(
      '*** Update File: a.txt',
      '*** Move to: d/b.txt',
      '@@',
      '-2',
      '+two',
      '*** End of File',
    )
    expect(patchedFiles(text)).toEqual([{ path: 'd/b.txt', edits: [{ old_string: '2', new_string: 'two' }] }])
  })

  it('stops at its end mark', () => {
    expect(patchedFiles(`${patch('*** Add File: a', '+x')}*** Add File: b\n+y\n`)).toHaveLength(1)
    expect(patchedFiles('')).toEqual([])
  })
})
