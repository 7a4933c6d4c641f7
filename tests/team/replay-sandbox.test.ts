// A draft that tries to escape, in each kind of sandbox. Each attempt once worked, or would work with a missing
// barrier.

import { randomUUID } from 'node:crypto'
import {
  chmodSync,
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
import { findSandbox, HOME, type Sandbox } from '../../packages/server/src/replay/sandbox.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-outside-'))
const covered = mkdtempSync(join(tmpdir(), 'holdfast-covered-'))
/** Below a folder that drafts can see, as the files of a server may be. */
const below = (() => {
  try {
    return mkdtempSync('/usr/local/holdfast-test-')
  } catch {
    return null
  }
})()
const kinds = await Promise.all(
  (['bubblewrap', 'namespaces'] as const).map(async kind => ({
    kind,
    ...(await findSandbox(below ? [covered, below] : [covered], [kind])),
  })),
)
afterAll(() => {
  for (const one of below ? [folder, covered, below] : [folder, covered])
    rmSync(one, { recursive: true, force: true })
})

let sandbox: Sandbox
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

describe.each(kinds)('$kind', ({ sandbox: found, reason }) => {
  beforeEach(({ skip }) => {
    if (!found) return skip(reason)
    sandbox = found
    writeFileSync(join(covered, 'secret'), 'TOP-SECRET')
    writeFileSync(join(folder, 'config'), 'PASSWORD')
  })

  it('holds when the draft takes away what covers the folders of the server', async () => {
    const [run] = await played(`umount ${covered} 2>/dev/null; umount -l ${covered} 2>/dev/null
cat ${covered}/secret 3>&2 2>/dev/null >&3; echo '{}'`)
    expect(run).toMatchObject({ stderr: '', failure: '' })
  })

  it.runIf(below)('hides the folders of the server below those that are shown', async () => {
    writeFileSync(join(below!, 'secret'), 'TOP-SECRET')
    const [run] = await played(`[ -d /usr/local/bin ] || echo no-programs >&2
umount ${below} 2>/dev/null
cat ${below}/secret 3>&2 2>/dev/null >&3; ls -A ${below} >&2; touch ${below}/new 2>/dev/null && echo wrote >&2; echo '{}'`)
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
    const spaces = ['user', 'mnt', 'net', 'ipc', 'uts', 'pid']
    const mark = `holdfast-mark-${randomUUID()}`
    vi.stubEnv('HOLDFAST_SECRET', mark)
    const [run] = await played(
      `cd /proc/self/ns; for name in ${spaces.join(' ')}; do echo "$name $(readlink $name)" >&2; done
sed -n 's/  */ /g; s/^Max /limit /p' /proc/self/limits >&2
grep -l ' /outside' /proc/mounts >&2
grep -E '^(Cap(Eff|Prm|Bnd)|NoNewPrivs):' /proc/self/status >&2
cat /proc/self/oom_score_adj >&2
ls /proc/[0-9]*/environ | wc -l >&2
cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '${mark.slice(0, -2)}' >&2
cat "$HOME/.cursor/managed/team_draft/hooks/manifest.json" >&2; echo '{}'`,
      { timeout: 3600 },
    ).finally(vi.unstubAllEnvs)
    expect(run).toMatchObject({ failure: '' })
    const { stderr } = run!
    for (const kind of spaces) {
      const inside = new RegExp(`^${kind} (${kind}:\\[\\d+\\])$`, 'm').exec(stderr)?.[1]
      expect(inside, stderr).toBeDefined()
      expect(inside, kind).not.toBe(readlinkSync(`/proc/self/ns/${kind}`))
    }
    for (const limit of [
      'cpu time 300 300 ',
      'file size 104857600 104857600 ',
      'data size 1073741824 1073741824 ',
      'processes 256 256 ',
      'core file size 0 0 ',
    ])
      expect(stderr).toContain(`limit ${limit}`)
    for (const name of ['Eff', 'Prm', 'Bnd'])
      expect(stderr).toMatch(new RegExp(`^Cap${name}:\\s+0{16}$`, 'm'))
    expect(stderr).toMatch(/^NoNewPrivs:\s+1$/m)
    expect(stderr).toMatch(/^1000$/m)
    expect(stderr).not.toContain('/proc/mounts')
    expect(stderr).toMatch(/^[1-9]$/m)
    expect(stderr).not.toContain(mark)
    expect(stderr).toContain('"timeout":10}')
  })

  it('keeps the settings of the kernel from it', async () => {
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
    await played(`echo '|/tmp/x' > /proc/sys/kernel/core_pattern
echo 5 > /proc/sys/user/max_user_namespaces
mkdir /tmp/p; mount -t proc proc /tmp/p && echo '|/tmp/x' > /tmp/p/sys/kernel/core_pattern; echo '{}'`)
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before)
  })

  it('gives it no namespace in which it would be root', async () => {
    const [run] = await played(
      `unshare --user --map-root-user true 2>/dev/null && echo root-again >&2; echo '{}'`,
    )
    expect(run).toMatchObject({ stderr: '', failure: '' })
  })

  it('bounds the number of processes', async () => {
    const [run] = await played(`(i=0; while [ $i -lt 400 ]; do sleep 100 & i=$((i+1)); done) 2>/dev/null
set -- /proc/[0-9]*; echo "$#" >&2; echo '{}'`)
    expect(Number(run!.stderr)).toBeGreaterThan(100)
    expect(Number(run!.stderr)).toBeLessThan(300)
  })

  it('bounds the memory of a process', async () => {
    const [run] = await played(
      `node -e 'Buffer.alloc(2 ** 31, 1); console.error("allocated")' 2>&1 | grep -o -m 1 -e allocated -e 'allocation failed' -e 'out of memory' >&2; echo '{}'`,
    )
    expect(run!.stderr).not.toContain('allocated')
    expect(run!.stderr).not.toBe('')
  })

  it('bounds everything that can be written', async () => {
    const [run] = await played(`for place in /tmp "$HOME" /dev/shm /dev / /usr /opt; do
  head -c 90000000 /dev/zero > $place/big
  size=$(stat -c %s $place/big || echo 0)
  [ "$size" -gt 67108864 ] && echo "$place $size" >&3
  [ "$size" -gt 0 ] && echo "$place" >&3
done 3>&2 2>/dev/null
echo '{}'`)
    expect(run).toMatchObject({ failure: '' })
    expect(run!.stderr.trim().split('\n')).toEqual(['/tmp', HOME, '/dev/shm'])
  })

  it('gives it a home and a place for temporary files, and leaves nothing of them behind', async () => {
    // A folder that no other test writes to.
    const own = mkdtempSync(join(folder, 'tmp-'))
    for (const path of [folder, own]) chmodSync(path, 0o755)
    vi.stubEnv('TMPDIR', own)
    const [run] = await played(`cat > "$HOME/seen"; cp "$HOME/seen" /tmp/seen; cat /tmp/seen > /dev/null
mkdir "$HOME/locked" && touch "$HOME/locked/file" && chmod 000 "$HOME/locked"; [ -e "${own}" ] && echo saw-outside >&2; echo '{}'`).finally(
      vi.unstubAllEnvs,
    )
    expect(run).toMatchObject({ failure: '' })
    expect(run!.stderr).toBe('')
    expect(readdirSync(own)).toEqual([])
  })

  it('runs where the temporary folder is for the server only', async () => {
    vi.stubEnv('TMPDIR', mkdtempSync(join(folder, 'tmp-')))
    chmodSync(folder, 0o700)
    const [run] = await played(`echo '{}'`).finally(vi.unstubAllEnvs)
    expect(run).toMatchObject({ failure: '' })
  })

  it('ends when the draft stops the program that runs it', async () => {
    const runs = await played('kill -STOP $PPID; sleep 100000', { silenceMs: 1500, events: 3 })
    for (const { failure } of runs) expect(failure).toMatch(/does not respond/)
  })

  it('ends with all that the draft has started', async () => {
    const mark = `holdfast-left-${process.pid}`
    await played(`setsid sh -c 'while :; do sleep 1; done # ${mark}' > /dev/null 2>&1 &
echo '{}'`)
    const alive = () =>
      readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .filter(name => {
          try {
            return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark)
          } catch {
            return false
          }
        })
    await expect.poll(alive).toEqual([])
  })
})
