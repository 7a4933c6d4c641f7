// Compares the command parser with a real shell: a command that makes the shell run kubectl must be detected. By default
// the parser runs in this process; examples.test.ts checks that the bundle is built from it.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// Imported first, so that the hooks imported later do not read stdin.
import '@holdfast/hooks/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsEverything } from '../../tests/scope.js'
import program from './.cursor/hooks/kube-guard.js'

const HOOK = fileURLToPath(new URL('.cursor/hooks/kube-guard.cjs', import.meta.url))
const hasBash = spawnSync('bash', ['-c', 'true']).status === 0

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kube-guard-'))
  mkdirSync(join(folder, 'bin'))
  // Only records that it was called.
  writeFileSync(join(folder, 'bin', 'kubectl'), '#!/bin/sh\necho "$@" >> "$CALLED"\n')
  chmodSync(join(folder, 'bin', 'kubectl'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const payloadOf = (command: string) =>
  JSON.stringify({ hook_event_name: 'beforeShellExecution', command, cwd: folder, cursor_version: '3.0' })

const judgedByProcess = (command: string, within: readonly string[] = []): unknown => {
  const [shell = '', ...args] = [...within, process.execPath, HOOK]
  const { stdout } = spawnSync(shell, args, { input: payloadOf(command), encoding: 'utf8' })
  return JSON.parse(stdout).permission
}

const judged = async (command: string): Promise<unknown> =>
  runsEverything
    ? judgedByProcess(command)
    : (await program.respondTo(payloadOf(command))).response.permission

/** Whether bash deletes the namespace when it runs the command. */
const deletes = (command: string): boolean => {
  const called = join(folder, 'called')
  rmSync(called, { force: true })
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, CALLED: called }
  spawnSync('bash', ['-c', command], { cwd: folder, env, timeout: 10_000 })
  return existsSync(called)
}

const D = 'kubectl delete ns shop'

describe.runIf(hasBash)('what bash runs', () => {
  it.each([
    D,
    `true&&${D}`,
    `false||${D}`,
    `true|${D}`,
    `true & ${D}`,
    `(${D})`,
    `{ ${D}; }`,
    `! ${D}`,
    `if true; then ${D}; fi`,
    `while true; do ${D}; break; done`,
    `case a in a) ${D};; esac`,
    `f() { ${D}; }; f`,
    `function f { ${D}; }; f`,
    `X=$(${D})`,
    `: "\${X:-$(${D})}"`,
    `: $((1 + $(${D}; echo 1)))`,
    `: <(${D}); sleep 0.2`,
    `cat <<END\n$(${D})\nEND`,
    `cat <<'END'\n'\nEND\n${D}`,
    `cat <<-END\n\tit's\n\tEND\n${D}`,
    `echo a#b; ${D}`,
    `echo '#'; ${D}`,
    `echo "a\\"; echo "; ${D}`,
    `# '\n${D}`,
    `kube\\\nctl delete ns shop`,
    `"kubectl" 'delete' ns shop`,
    `\\kubectl delete ns shop`,
    `>out ${D}`,
    `2>&1 ${D} >/dev/null`,
    `A=1 B="2 3" ${D}`,
    `env -u A ${D}`,
    `command ${D}`,
    `timeout 5 ${D}`,
    `echo shop | xargs kubectl delete ns`,
    `bash -c '${D}'`,
    `bash <<< '${D}'`,
    `bash <<END\n${D}\nEND`,
    `echo ${D} | bash`,
    `eval "${D}"`,
    `eval kubectl delete 'ns' shop`,
    `kube{ctl,} delete ns shop || {kubectl,delete,ns,shop}`,
    `C=kubectl; $C delete ns shop`,
    `\${X-kubectl} delete ns shop`,
    `bin/kube*l delete ns shop`,
    `find bin -name kubectl -exec {} delete ns shop \\;`,
    `echo "$(echo ')' "$(${D})")"`,
    `[[ a == a ]] && ${D}`,
    `time ${D}`,
    `coproc ${D}; wait`,
  ])('detects: %s', async command => {
    expect(deletes(command), 'the case itself').toBe(true)
    expect(await judged(command)).toMatch(/^(?:deny|ask)$/)
  })

  it.each([
    `echo ${D}`,
    `echo 'a' "${D}"`,
    `# ${D}`,
    `cat <<'END'\n$(${D})\nEND`,
    `cat > notes <<END\n${D}\nEND`,
    `grep '${D}' -r . ; true`,
    `echo \\$\\(${D}\\)`,
  ])('does not report: %s', async command => {
    expect(deletes(command), 'the case itself').toBe(false)
    expect(await judged(command)).toBeUndefined()
  })
})

describe('hostile commands', () => {
  it.each([
    ['brackets', `kubectl ${'$('.repeat(20_000)}`],
    ['closed brackets', `kubectl ${'$('.repeat(3000)}${')'.repeat(3000)}`],
    ['quotes', `kubectl ${'"\''.repeat(50_000)}`],
    ['words', `kubectl delete ${'a '.repeat(200_000)} ns/shop`],
    ['here-documents', `kubectl ${'<<a '.repeat(20_000)}`],
  ])('are not allowed, with little work: %s', (_, command) => {
    // Seconds of CPU time, after which the system ends the hook.
    expect(judgedByProcess(command, ['sh', '-c', 'ulimit -t 8; exec "$0" "$@"'])).toMatch(/^(?:deny|ask)$/)
  })
})
