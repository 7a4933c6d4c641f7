// Compares the reader with a real shell: a program that bash starts must be among the calls, or the reading is partial.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { type Call, isShell } from './call.js'
import { readCommand } from './index.js'

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0
/** Also in the folder `bin` of the workspace, under this name. */
const TOOL = 'kubectl'
const CALL = `${TOOL} delete ns shop`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-real-shell-'))
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'work'))
  symlinkSync('../bin', join(folder, 'work', 'bin'))
  writeFileSync(join(folder, 'bin', TOOL), '#!/bin/sh\n: > "$RAN"\n')
  chmodSync(join(folder, 'bin', TOOL), 0o755)
  for (const name of 'sh bash env cat xargs true false timeout nice find rev tee sleep grep date'.split(' '))
    symlinkSync(program(name), join(folder, 'bin', name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = (name: string): string => {
  const found = process.env.PATH!.split(delimiter).find(part => existsSync(join(part, name)))
  if (!found) throw new Error(`There is no ${name}.`)
  return join(found, name)
}

/** Whether bash starts the program when it runs the text. It finds no other programs that could do harm. */
function runs(command: string): boolean {
  const ran = join(folder, 'ran')
  rmSync(ran, { force: true })
  spawnSync('bash', ['--norc', '--noprofile', '-c', command], {
    cwd: join(folder, 'work'),
    env: { PATH: join(folder, 'bin'), RAN: ran },
    input: '',
    timeout: 5000,
    killSignal: 'SIGKILL',
  })
  return existsSync(ran)
}

/** Whether a guard of this program would have something to judge. */
function isFound(command: string): boolean {
  const { calls, unknown } = readCommand(command, { cwd: join(folder, 'work'), home: folder })
  // Here the program is a script, so `bash kubectl` runs it too; the reader does not see into files.
  const isScript = ({ name, args }: Call) => isShell(name) && args.some(({ text }) => text.includes(TOOL))
  return unknown.length > 0 || calls.some(call => call.name === TOOL || isScript(call))
}

describe.runIf(hasBash)('a program that bash starts is found', () => {
  it.each([
    CALL,
    `true&&${CALL}`,
    `false||${CALL}`,
    `true|${CALL}`,
    `true & ${CALL}`,
    `(${CALL})`,
    `{ ${CALL}; }`,
    `! ${CALL}`,
    `if true; then ${CALL}; fi`,
    `while true; do ${CALL}; break; done`,
    `case a in a) ${CALL};; esac`,
    `f() { ${CALL}; }; f`,
    `function f { ${CALL}; }; f`,
    `X=$(${CALL})`,
    `: "\${X:-$(${CALL})}"`,
    `: $((1 + $(${CALL}; echo 1)))`,
    `: <(${CALL}); sleep 0.2`,
    `cat <<END\n$(${CALL})\nEND`,
    `cat <<'END'\n'\nEND\n${CALL}`,
    `cat <<-END\n\tit's\n\tEND\n${CALL}`,
    `echo a#b; ${CALL}`,
    `echo '#'; ${CALL}`,
    `echo "a\\"; echo "; ${CALL}`,
    `# '\n${CALL}`,
    'kube\\\nctl delete ns shop',
    `"kubectl" 'delete' ns shop`,
    '\\kubectl delete ns shop',
    `>out ${CALL}`,
    `2>&1 ${CALL} >/dev/null`,
    `A=1 B="2 3" ${CALL}`,
    `env -u A ${CALL}`,
    `command ${CALL}`,
    `timeout 5 ${CALL}`,
    'echo shop | xargs kubectl delete ns',
    `bash -c '${CALL}'`,
    `bash <<< '${CALL}'`,
    `bash <<END\n${CALL}\nEND`,
    `echo ${CALL} | bash`,
    `eval "${CALL}"`,
    `eval kubectl delete 'ns' shop`,
    'kube{ctl,} delete ns shop || {kubectl,delete,ns,shop}',
    'C=kubectl; $C delete ns shop',
    '${X-kubectl} delete ns shop',
    'bin/kube*l delete ns shop',
    'find -L bin -name kubectl -exec {} delete ns shop \\;',
    `echo "$(echo ')' "$(${CALL})")"`,
    `[[ a == a ]] && ${CALL}`,
    `time ${CALL}`,
    `coproc ${CALL}; wait`,
  ])('%s', command => {
    expect(runs(command), 'the case itself').toBe(true)
    expect(isFound(command)).toBe(true)
  })

  it.each([
    `echo ${CALL}`,
    `echo 'a' "${CALL}"`,
    `# ${CALL}`,
    `cat <<'END'\n$(${CALL})\nEND`,
    `cat > notes <<END\n${CALL}\nEND`,
    `grep '${CALL}' -r . ; true`,
    `echo \\$\\(${CALL}\\)`,
  ])('but not here: %s', command => {
    expect(runs(command), 'the case itself').toBe(false)
    expect(isFound(command)).toBe(false)
  })

  const spellings = [
    CALL,
    `\\${CALL}`,
    `A=1 ${CALL}`,
    `./../bin/${CALL}`,
    CALL.replace(/^(.)(\S+)/, '$1\\$2'),
    CALL.replace(/^(.)(\S+)/, "$1''$2"),
    CALL.replace(/^\S+/, '"$&"'),
    CALL.replace(/^\S/, letter => `$'\\x${letter.charCodeAt(0).toString(16)}'`),
  ]
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const AROUND: ((inner: string) => string)[] = [
    inner => `true && ${inner}`,
    inner => `echo a | ${inner}`,
    inner => `( ${inner} )`,
    inner => `{ ${inner}\n}`,
    inner => `echo "$(${inner})"`,
    inner => `echo $( ${inner} ) # x`,
    inner => `bash -c ${quoted(inner)}`,
    inner => `eval ${quoted(inner)}`,
    inner => `f () { ${inner}\n}; f`,
    inner => `if ${inner}\nthen true; fi`,
    inner => `for a in 1; do ${inner}\ndone`,
    inner => `case a in b|c) ;; (a) ${inner}\n;; esac`,
    inner => `[[ a == a ]] && ${inner}`,
    inner => `: $((1 << 2)); ${inner}`,
    inner => `cat <<'E' | sh\n${inner}\nE`,
    inner => `bash <<< ${quoted(inner)}`,
    inner => `x=\${y:-$( ${inner} )}`,
    inner => `cat <( ${inner} )`,
    inner => `echo 'it''s' "a;b" \\" ; ${inner}`,
    inner => `echo a | while read b; do ${inner}\ndone`,
  ]

  it('in nested constructs', () => {
    const nested = fc
      .tuple(fc.constantFrom(...spellings), fc.array(fc.constantFrom(...AROUND), { maxLength: 4 }))
      .map(([inner, around]) => around.reduce((text, wrap) => wrap(text), inner))
    fc.assert(
      fc.property(nested, command => {
        if (!isFound(command)) expect(runs(command), command).toBe(false)
      }),
      { numRuns: randomRuns(4000) },
    )
  })

  it('in any order of shell words', () => {
    const tokens =
      `${TOOL} sh bash -c echo cat if then fi do done case in esac x) ;; [[ ]] { } ( ) $( ) \` ' " \\ | || && & ; # $(( )) (( << <<E E <<< x= \${x:- } $' $" eval env true ! f() -- =`
        .split(' ')
        .concat([' ', ' ', ' ', '\n', CALL, 'true;', '\nE\n', `; ${CALL}`, `&& ${CALL}`])
    const soup = fc
      .array(fc.tuple(fc.constantFrom(...tokens), fc.constantFrom('', ' ')), { minLength: 2, maxLength: 14 })
      .map(parts => parts.flat().join(''))
    fc.assert(
      fc.property(soup, command => {
        if (command.includes(TOOL) && !isFound(command)) expect(runs(command), command).toBe(false)
      }),
      { numRuns: randomRuns(4000) },
    )
  })
})

it.each([
  ['brackets', `kubectl ${'$('.repeat(20_000)}`],
  ['closed brackets', `kubectl ${'$('.repeat(3000)}${')'.repeat(3000)}`],
  ['quotes', `kubectl ${'"\''.repeat(50_000)}`],
  ['here-documents', `kubectl ${'<<a '.repeat(20_000)}`],
])('a program in front of many %s is found', (_, command) => expect(isFound(command)).toBe(true))
