// The native client under sanitizers, and the bytes of its protocol.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readReply, requestReader, writeReply, writeRequest } from '../../packages/cli/src/daemon/protocol.js'
import { randomRuns } from '../scope.js'
import { Around, DENIES, hasClient, until } from './around.js'

const SANITIZERS = ['-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
const compiler = process.env.CC || 'cc'
const canCompile = spawnSync(compiler, ['--version']).status === 0

/** What the compiler printed. */
const compile = (program: string, name: string): string =>
  spawnSync(compiler, ['-std=c11', ...SANITIZERS, '-o', program, source(name)], { encoding: 'utf8' }).stderr

const source = (name: string) => fileURLToPath(new URL(`../../packages/cli/client/${name}`, import.meta.url))

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.runIf(hasClient && canCompile)('under sanitizers', () => {
  it('the parser of replies takes any bytes', () => {
    const program = join(folder, 'fuzz')
    expect(compile(program, 'fuzz.c')).toBe('')
    const seed = String(Date.now())
    const { status, stderr } = spawnSync(program, [seed, String(randomRuns(2_000_000))], { encoding: 'utf8' })
    expect({ seed, status, stderr }).toEqual({ seed, status: 0, stderr: '' })
  })

  it('a call, with a daemon and without', async () => {
    const client = join(folder, 'client')
    expect(compile(client, 'client.c')).toBe('')
    const around = new Around({ preToolUse: [{ command: './hook.sh' }] }, { 'hook.sh': DENIES })
    try {
      await around.byNode('SessionStart', around.payload('SessionStart', { source: 'startup' }))
      const node = await around.byNode('PreToolUse', around.shell('ls'))
      expect(node.stdout).toContain('"deny"')
      const options = { client, env: { ASAN_OPTIONS: 'detect_leaks=0' } }
      expect(await around.byClient('PreToolUse', around.shell('ls'), options)).toEqual(node)
      // The call without a daemon starts one, and a second one would end at once.
      await until(() => around.status() !== undefined)
      expect(await around.byClient('PreToolUse', around.shell('ls'), options)).toEqual(node)
      expect(around.status()!.declined).toEqual({})
    } finally {
      await around.close()
    }
  })
})

describe('the messages', () => {
  const text = fc.string({ unit: 'binary' }).map(one => one.replaceAll('\0', ''))
  const token = fc.stringMatching(/^[0-9a-f]{32}$/)

  it('a request is read as it was written, however it is split', () => {
    const request = fc.record({
      token,
      place: text,
      home: text,
      cwd: text,
      words: fc.array(text, { maxLength: 5 }),
      env: fc.dictionary(fc.stringMatching(/^\w+$/), text, { noNullPrototype: true }),
      body: fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
    })
    fc.assert(
      fc.property(request, fc.array(fc.nat(400), { maxLength: 8 }), (sent, cuts) => {
        const bytes = writeRequest(sent)
        const read = requestReader()
        const ends = [...cuts.filter(cut => cut < bytes.length), bytes.length].sort((a, b) => a - b)
        let at = 0
        let result: ReturnType<typeof read>
        for (const end of ends) {
          expect(result).toBeUndefined()
          if (end > at) result = read(bytes.subarray(at, end))
          at = end
        }
        expect(result).toEqual(sent)
      }),
      { numRuns: randomRuns(800) },
    )
  })

  it('no part of a reply is a reply, and no other byte is', () => {
    const reply = fc.record({ exitCode: fc.nat(255), stdout: text, stderr: text })
    fc.assert(
      fc.property(reply, token, fc.nat(), fc.nat(2), (sent, own, cut, beats) => {
        const bytes = Buffer.concat([Buffer.from('w'.repeat(beats)), writeReply(own, sent)])
        expect(readReply(bytes, own)).toEqual(sent)
        expect(readReply(bytes.subarray(0, cut % bytes.length), own)).toBe('working')
        expect(readReply(Buffer.concat([bytes, Buffer.from('e')]), own)).toBeUndefined()
        expect(readReply(bytes, 'x'.repeat(32))).toBeUndefined()
      }),
      { numRuns: randomRuns(800) },
    )
  })
})
