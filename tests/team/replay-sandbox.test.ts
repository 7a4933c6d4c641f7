// A draft that wants out. Each of these was a way, or would be one if a wall were missing.

import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPlayer } from '../../packages/server/src/replay/player.js'
import { findSandbox } from '../../packages/server/src/replay/sandbox.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-outside-'))
const covered = mkdtempSync(join(tmpdir(), 'holdfast-covered-'))
const sandbox = await findSandbox([covered])
afterAll(() => {
  for (const one of [folder, covered]) rmSync(one, { recursive: true, force: true })
})

const played = async (
  script: string,
  { silenceMs, events = 1, timeout }: { silenceMs?: number; events?: number; timeout?: number } = {},
) => {
  const content = {
    hook_step: 'beforeShellExecution',
    type: 'command',
    mode: 'enforce',
    operating_systems: [],
    is_active: true,
    script_name: 'guard.sh',
    ...(timeout === undefined ? {} : { timeout }),
  } as const
  const player = openPlayer({ content, script: `#!/bin/sh\n${script}\n` }, sandbox, silenceMs)
  try {
    const asked = Array.from({ length: events }, (_, index) =>
      player.ask({ id: String(index), event: 'beforeShellExecution', facts: { command: 'ls' } }),
    )
    const settled = await Promise.allSettled(asked)
    return settled.map(one =>
      one.status === 'fulfilled' ? one.value : { failure: String(one.reason), stderr: '' },
    )
  } finally {
    await player.close()
  }
}

describe.runIf(sandbox)('the sandbox', () => {
  beforeEach(() => {
    writeFileSync(join(covered, 'secret'), 'TOP-SECRET')
    writeFileSync(join(folder, 'config'), 'PASSWORD')
  })

  it('holds when the draft takes away what covers the folders of the server', async () => {
    const [run] = await played(`umount ${covered} 2>/dev/null; umount -l ${covered} 2>/dev/null
cat ${covered}/secret 3>&2 2>/dev/null >&3; echo '{}'`)
    expect(run).toMatchObject({ stderr: '', failure: '' })
  })

  it('shows no other file of the server, and lets none be changed', async () => {
    const outside = ['/usr', '/etc'].map(parent => join(parent, `holdfast-${randomUUID()}`))
    const [run] =
      await played(`{ cat ${folder}/config >&3; echo x > ${folder}/config; echo x > ${folder}/new; } 3>&2 2>/dev/null
touch ${outside.join(' ')} 2>/dev/null
mount -o remount,bind,rw /usr 2>/dev/null && touch ${outside[0]}
[ -e /etc/shadow ] && echo saw-shadow >&2
[ -e "${process.cwd()}/package.json" ] && echo saw-sources >&2
echo '{}'`)
    expect(run).toMatchObject({ stderr: '', failure: '' })
    expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('PASSWORD')
    expect(existsSync(join(folder, 'new'))).toBe(false)
    const written = outside.filter(path => existsSync(path))
    for (const path of written) rmSync(path)
    expect(written).toEqual([])
  })

  it('gives it namespaces, limits and an environment of its own, and ten seconds', async () => {
    const kinds = ['user', 'mnt', 'net', 'ipc', 'uts', 'pid']
    const mark = `holdfast-mark-${randomUUID()}`
    vi.stubEnv('HOLDFAST_SECRET', mark)
    const [run] = await played(
      `cd /proc/self/ns; for name in ${kinds.join(' ')}; do echo "$name $(readlink $name)" >&2; done
sed -n 's/  */ /g; s/^Max /limit /p' /proc/self/limits >&2
grep -hE ' /proc/[a-z-]+ ' /proc/mounts >&2
grep -l ' /old' /proc/mounts >&2
ls /proc/[0-9]*/environ | wc -l >&2
cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '${mark.slice(0, -2)}' >&2
cat "$HOME/.cursor/managed/team_draft/hooks/manifest.json" >&2; echo '{}'`,
      { timeout: 3600 },
    ).finally(vi.unstubAllEnvs)
    expect(run).toMatchObject({ failure: '' })
    const { stderr } = run!
    for (const kind of kinds) {
      const inside = new RegExp(`^${kind} (${kind}:\\[\\d+\\])$`, 'm').exec(stderr)?.[1]
      expect(inside, stderr).toBeDefined()
      expect(inside, kind).not.toBe(readlinkSync(`/proc/self/ns/${kind}`))
    }
    for (const limit of [
      'cpu time 300 300 ',
      'file size 104857600 104857600 ',
      'data size 1073741824 1073741824 ',
      'processes 512 512 ',
      'core file size 0 0 ',
    ])
      expect(stderr).toContain(`limit ${limit}`)
    const readOnly = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs'].filter(name => existsSync(`/proc/${name}`))
    expect(readOnly).toContain('sys')
    for (const name of readOnly) expect(stderr).toContain(` /proc/${name} proc ro,`)
    expect(stderr).not.toContain('/proc/mounts')
    expect(stderr).toMatch(/^[1-9]$/m)
    expect(stderr).not.toContain(mark)
    expect(stderr).toContain('"timeout":10}')
  })

  it('keeps the settings of the kernel from it', async () => {
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
    await played(`echo '|/tmp/x' > /proc/sys/kernel/core_pattern
mkdir /tmp/p; mount -t proc proc /tmp/p && echo '|/tmp/x' > /tmp/p/sys/kernel/core_pattern; echo '{}'`)
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before)
  })

  it('gives it a home and a place for temporary files, and leaves nothing of them behind', async () => {
    // Where no other test leaves anything meanwhile.
    const own = mkdtempSync(join(folder, 'tmp-'))
    vi.stubEnv('TMPDIR', own)
    const [run] = await played(`cat > "$HOME/seen"; cp "$HOME/seen" /tmp/seen; cat /tmp/seen > /dev/null
mkdir "$HOME/locked" && touch "$HOME/locked/file" && chmod 000 "$HOME/locked"; ls -d "${own}"/holdfast-replay-* >&2; echo '{}'`).finally(
      vi.unstubAllEnvs,
    )
    expect(run).toMatchObject({ failure: '' })
    expect(run!.stderr).toMatch(own)
    expect(readdirSync(own)).toEqual([])
  })

  it('ends when the draft stops the program that runs it', async () => {
    const runs = await played('kill -STOP $PPID; sleep 100000', { silenceMs: 1500, events: 3 })
    for (const { failure } of runs) expect(failure).toMatch(/no longer answers/)
  })

  it('ends with all that the draft has started', async () => {
    const mark = `holdfast-left-${process.pid}`
    await played(`setsid sh -c 'while :; do sleep 1; done # ${mark}' > /dev/null 2>&1 &
echo '{}'`)
    const alive = readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .filter(name => {
        try {
          return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark)
        } catch {
          return false
        }
      })
    expect(alive).toEqual([])
  })
})

it('gives a draft no environment of the server, also without a sandbox', async () => {
  const mark = `holdfast-mark-${randomUUID()}`
  vi.stubEnv('HOLDFAST_SECRET', mark)
  const content = {
    hook_step: 'beforeShellExecution',
    type: 'command',
    mode: 'enforce',
    operating_systems: [],
    is_active: true,
    script_name: 'guard.sh',
  } as const
  const script = `#!/bin/sh
cat /proc/$PPID/environ /proc/self/environ | tr '\\0' '\\n' >&2; echo '{}'
`
  const player = openPlayer({ content, script }, null)
  try {
    const facts = { command: 'ls' }
    const { stderr, failure } = await player.ask({ id: '1', event: 'beforeShellExecution', facts })
    expect(failure).toBe('')
    expect(stderr).toContain('PATH=')
    expect(stderr).not.toContain(mark)
  } finally {
    vi.unstubAllEnvs()
    await player.close()
  }
})
