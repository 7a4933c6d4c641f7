// What an author's editor says. The lines marked as errors must be errors: `npm run check` compiles this file.

import { describe, expectTypeOf, it } from 'vitest'
import { allow, ask, context, deny, followup, notice, type Payload, rewrite } from './index.js'
import type { Handlers } from './program.js'

const handlers = (given: Handlers) => given

describe('types of handlers', () => {
  it('give each handler the payload of its event', () => {
    handlers({
      beforeShellExecution(payload) {
        expectTypeOf(payload.command).toBeString()
        expectTypeOf(payload.sandbox).toBeBoolean()
        expectTypeOf(payload.workspace_roots).toEqualTypeOf<string[]>()
        // @ts-expect-error a shell command has no prompt
        payload.prompt
      },
      preToolUse: ({ tool_input }) =>
        expectTypeOf(tool_input).toEqualTypeOf<Record<string, unknown>>() && undefined,
      beforeMCPExecution: ({ tool_input }) => expectTypeOf(tool_input).toBeString() && undefined,
      afterTabFileEdit({ edits }) {
        expectTypeOf(edits[0]!.range.start_line_number).toBeNumber()
      },
    })
    expectTypeOf<Payload<'stop'>['status']>().toEqualTypeOf<'completed' | 'aborted' | 'error'>()
  })

  it('take the answers that the event can give', () => {
    handlers({
      beforeShellExecution: ({ command }) =>
        command === '' ? ask('Run it?') : deny('No.', { agent: 'Ask first.' }),
      beforeReadFile: async () => deny('It holds a secret.'),
      beforeSubmitPrompt: () => deny('Take the key out.'),
      preToolUse: () => [rewrite({ command: 'ls' }), allow()],
      postToolUse: () => context('It took long.'),
      stop: ({ loop_count }) => (loop_count < 3 ? followup('Go on.') : undefined),
      preCompact: () => notice('The conversation is being shortened.'),
      afterFileEdit: () => undefined,
    })
  })

  it('do not take others', () => {
    handlers({
      // @ts-expect-error nobody is asked about reading
      beforeReadFile: () => ask('Read it?'),
      // @ts-expect-error a command cannot be continued with a message
      beforeShellExecution: () => followup('Go on.'),
      // @ts-expect-error a turn that has ended cannot be denied
      stop: () => deny('No.'),
      // @ts-expect-error what was edited was edited
      afterFileEdit: () => deny('No.'),
      // @ts-expect-error the model does not hear of a prompt that was not sent
      beforeSubmitPrompt: () => deny('No.', { agent: 'Try again.' }),
      // @ts-expect-error one of the list is none
      preToolUse: () => [allow(), followup('Go on.')],
      // @ts-expect-error answers are made by the functions
      subagentStart: () => ({ permission: 'deny' }),
      // @ts-expect-error nor in a promise
      beforeTabFileRead: async () => ask('Read it?'),
    })
  })

  it('do not take events that do not exist', () => {
    // @ts-expect-error not an event
    handlers({ beforeShell: () => undefined })
  })
})
