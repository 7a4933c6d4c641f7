// Each template is run as it stands.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { TEMPLATES } from './templates.js'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-templates-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const forms = TEMPLATES.map(({ name, form }) => ({ name, form: form('') }))

it.each(forms.filter(({ form }) => form.type === 'command'))(
  'the guard in $name denies a forced push, and has no opinion on the rest',
  ({ form }) => {
    const file = join(folder, form.scriptName)
    writeFileSync(file, form.script, { mode: 0o755 })
    const answer = (command: string) =>
      JSON.parse(spawnSync(file, { input: JSON.stringify({ command }), encoding: 'utf8' }).stdout)
    expect(answer('git push --force origin main')).toMatchObject({ permission: 'deny' })
    expect(answer('git status')).toEqual({})
  },
)

it('a question asks about the payload', () => {
  const [question] = forms.filter(({ form }) => form.type === 'prompt')
  expect(question?.form.prompt).toContain('$ARGUMENTS')
})
