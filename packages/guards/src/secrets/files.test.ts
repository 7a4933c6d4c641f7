// Files that the agent reads and files that are attached: by their name (paths) and by their content (secrets).

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guard, type Payload, withDefaults } from '../guard.js'
import { paths } from '../paths/guard.js'
import { secrets } from './guard.js'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-files-'))
  mkdirSync(join(root, 'rules'))
  writeFileSync(join(root, '.env'), 'A=1\n')
  writeFileSync(join(root, 'good.txt'), 'hello\n')
  symlinkSync('.env', join(root, 'notes.txt'))
  writeFileSync(join(root, 'rules/a.mdc'), 'use pnpm\nuse AKIAABCDEFGHIJKLMNOP\n')
  writeFileSync(join(root, 'rules/b.mdc'), 'use pnpm\n')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const judge = async (guard: Guard, payload: Payload) =>
  (await guard.judge(payload, withDefaults(guard, {}), { root, cwd: root, home: '/home/ada' })).findings
const isDenied = async (guard: Guard, payload: Payload) => (await judge(guard, payload)).length > 0
const read = (file_path: string, content = 'a', attached: readonly unknown[] = []): Payload => ({
  file_path,
  content,
  attachments: attached.map(path => ({ type: 'file', file_path: path })),
})

describe('names', () => {
  it.each([
    '.env',
    '/project/.env.production',
    'C:\\project\\.env',
    '/home/ada/.ssh/id_ed25519',
    '/home/ada/.aws/credentials',
    '/home/ada/.netrc',
    '/proc/self/environ',
    'notes.txt',
  ])('are protected: %s', async path => expect(await isDenied(paths, read(path))).toBe(true))

  it.each(['/project/.env.example', '/home/ada/.ssh/id_rsa.pub', '/project/src/environment.ts', 'good.txt'])(
    'are not: %s',
    async path => expect(await isDenied(paths, read(path))).toBe(false),
  )

  it('of attached files are judged too', async () => {
    expect(await isDenied(paths, read('a.ts', 'a', ['good.txt', '.env']))).toBe(true)
    expect(await isDenied(paths, { prompt: 'Look', attachments: [{ file_path: 'notes.txt' }] })).toBe(true)
    expect(await isDenied(paths, read('a.ts', 'a', ['good.txt', null, 4]))).toBe(false)
  })
})

describe('content', () => {
  it.each([
    'x\n-----BEGIN RSA PRIVATE KEY-----\n',
    'EXAMPLE AKIAABCDEFGHIJKLMNOP',
    'url: postgres://app:hunter2-q@db.example.com/app',
    "db_password = 'kT9-xv2LqP'",
    '{"token":"${TOKEN}","apiKey":"9fK2mQ7xLw4Zp"}',
    'secret_key = 9fK2mQ7xLw4Zp\r\n',
    '//registry.npmjs.org/:_authToken=abcdefgh1234',
    'glpat-aaaaaaaaaaaaaaaaaaaaaaaa',
  ])('with a secret is denied: %s', async text => expect(await isDenied(secrets, read('a', text))).toBe(true))

  it.each([
    'export const token = read(process.env.TOKEN)\nconst password = getPassword()\n',
    '-----BEGIN CERTIFICATE-----',
    'AKIAIOSFODNN7EXAMPLE',
    'url: postgres://app:${DB_PASSWORD}@db.example.com/app',
    "password: changeme123\ntoken: <your-token-1>\nsecret: 'xxxxxxxxxx'\napi_key: ${KEY}\n",
  ])('without one passes: %s', async text => expect(await isDenied(secrets, read('a', text))).toBe(false))

  it('of attached files is read', async () => {
    const [found] = await judge(secrets, read('a.ts', 'a', ['rules/b.mdc', 'rules/a.mdc']))
    expect(found!.reason).toBe('"rules/a.mdc" has an AWS access key in line 2.')
    expect(await isDenied(secrets, read('a.ts', 'a', ['rules/b.mdc', 'absent.mdc', '.']))).toBe(false)
    expect(await isDenied(secrets, { prompt: 'Look', attachments: [{ file_path: 'rules/a.mdc' }] })).toBe(
      true,
    )
  })

  it('is read from the file where the host does not send it', async () => {
    expect(await isDenied(secrets, read('rules/a.mdc', ''))).toBe(true)
    expect(await isDenied(secrets, read('rules/b.mdc', ''))).toBe(false)
  })
})
