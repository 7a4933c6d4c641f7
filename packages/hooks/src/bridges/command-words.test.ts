import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitCommand } from './command-words.js'

const split = (command: string, backslash: 'escapes' | 'separates' = 'escapes') =>
  splitCommand(command, {
    home: '/home/me',
    backslash,
    variable: name => ({ ROOT: '/project', SPACED: '/my project' })[name],
  })
const words = (command: string, backslash?: 'separates') =>
  split(command, backslash).map(({ words }) => words.map(({ text, unsure }) => (unsure ? `?${text}` : text)))

describe('words', () => {
  test.each([
    ['./a.sh', [['./a.sh']]],
    ['  node   a.js\t-x ', [['node', 'a.js', '-x']]],
    [`'a b' "c d" e\\ f`, [['a b', 'c d', 'e f']]],
    [`a"b"'c'd`, [['abcd']]],
    [`"a \\"b\\" \\$c \\x"`, [['a "b" $c \\x']]],
    [`''`, [['']]],
    ['~/a.sh ~', [['/home/me/a.sh', '/home/me']]],
    ['~other/a.sh', [['?other/a.sh']]],
    ['a~b', [['a~b']]],
    [`'~/a'`, [['~/a']]],
    ['$ROOT/a.sh ${ROOT}/b.sh "$ROOT"/c', [['/project/a.sh', '/project/b.sh', '/project/c']]],
    ['$SPACED/a "$SPACED/b"', [['?/my project/a', '/my project/b']]],
    ['$NOPE/a ${NOPE:-x}/b', [['?/a', '?/b']]],
    ['$(git root)/a.sh `x y`/b', [['?/a.sh', '?/b']]],
    ['"$(a "b" (c))" d', [['?', 'd']]],
    ['*.sh a?', [['?*.sh', '?a?']]],
  ])('%s', (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  test.each([
    ['a && b || c ; d | e & f', ['', '&&', '||', ';', '|', '&']],
    ['a\nb', ['', ';']],
    ['(a; b)', ['(', ';']],
  ])('operators of %j', (command, expected) => {
    expect(split(command).map(({ after }) => after)).toEqual(expected)
  })

  test.each([
    ['a > out.js b', [['a', 'b']]],
    ['a 2>/dev/null', [['a']]],
    ['a2>x', [['a2']]],
    ['a >>x <y &>z 2>&1 b', [['a', 'b']]],
    ['a <<< text b', [['a', 'b']]],
    ['a <<< text\nb', [['a'], ['b']]],
    ['a 0<<< text\nb', [['a'], ['b']]],
    ['a <<EOF\nnot a command\nEOF', [['a']]],
    ['a # comment && b', [['a']]],
    ['a#b', [['a#b']]],
  ])('not arguments: %j', (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  test('unfinished quotes are not sure', () => {
    expect(words(`a 'b`)).toEqual([['a', '?b']])
    expect(words('a "b')).toEqual([['a', '?b']])
  })

  test('on Windows a backslash is a folder', () => {
    expect(words('C:\\tools\\guard.exe -x', 'separates')).toEqual([['C:\\tools\\guard.exe', '-x']])
  })

  test('any text is split', () => {
    const shellish = fc.string({ unit: fc.constantFrom(...`ab $(){}'"\`\\<>&|;~#*0\n`) })
    fc.assert(fc.property(fc.oneof(fc.string(), shellish), text => Array.isArray(split(text))))
  })
})
