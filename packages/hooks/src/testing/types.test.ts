// Lines that must not compile. Nothing here runs: the compiler is the test.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deny, hook } from '../sdk/index.js'
import { given, payloads, sample } from './index.js'

function typed(): void {
  given('beforeShellExecution', { command: 'ls' }).at(
    ({ command, sandbox }) => `${command.length}${!sandbox}`,
  )
  given('stop', { conversation_id: 'a' }).at(hook({ stop: () => undefined }))
  given('beforeSubmitPrompt').at(({ prompt }) => (prompt ? deny() : undefined))
  const command: string = sample('beforeShellExecution').command
  fc.property(payloads(fc, 'beforeShellExecution'), payload => payload.command === command)

  // @ts-expect-error no such event
  given('beforeShell')
  // @ts-expect-error no such field
  given('beforeShellExecution', { comand: 'ls' })
  // @ts-expect-error another type
  given('beforeShellExecution', { command: 5 })
  // @ts-expect-error a field of another event
  given('stop').at(({ command }) => command)
  // @ts-expect-error no such version
  given('stop', {}, { profile: 'cursor-9' })
  // @ts-expect-error not a target
  given('stop').at('guard.sh')
  // @ts-expect-error may be absent in an older version
  sample('preToolUse', 'cursor-1.7').tool_name
  // @ts-expect-error no such field
  fc.property(payloads(fc, 'stop'), payload => payload.command)
}

it('is typed by the event', () => expect(typed).toBeTypeOf('function'))
