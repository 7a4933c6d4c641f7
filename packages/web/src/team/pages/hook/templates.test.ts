// Each template runs with real events.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { TEMPLATES } from './templates.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-templates-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function permissionOf(name: string, event: object): string | undefined {
  const { form } = TEMPLATES.find(template => template.name === name)!
  const file = join(folder, form.scriptName)
  writeFileSync(file, form.script, { mode: 0o755 })
  return JSON.parse(spawnSync(file, { input: JSON.stringify(event), encoding: 'utf8' }).stdout).permission
}

it.each([
  ['Block forced pushes', { command: 'git push --force origin main' }, 'deny'],
  ['Block forced pushes', { command: 'git push -f' }, 'deny'],
  ['Block forced pushes', { command: 'git push --force-with-lease' }, undefined],
  ['Block forced pushes', { command: 'git push origin main' }, undefined],
  ['Keep secrets private', { file_path: '/repo/.env' }, 'deny'],
  ['Keep secrets private', { file_path: 'C:\\repo\\.env.local' }, 'deny'],
  ['Keep secrets private', { file_path: '/home/ada/.ssh/id_ed25519' }, 'deny'],
  ['Keep secrets private', { file_path: '/repo/environment.ts' }, undefined],
  ['Ask before a release', { command: 'npm publish' }, 'ask'],
  ['Watch package installs', { command: 'npm install x --registry http://mirror.example' }, 'deny'],
  ['Watch package installs', { command: 'npm install left-pad' }, undefined],
])('%s: %o gets %s', (name, event, permission) => expect(permissionOf(name, event)).toBe(permission))

it('a prompt contains the payload', () => {
  const prompts = TEMPLATES.filter(({ form }) => form.type === 'prompt')
  expect(prompts.map(({ form }) => form.prompt.includes('$ARGUMENTS'))).toEqual([true])
})
