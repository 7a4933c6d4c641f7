// The types that an author sees. Lines marked as errors must be errors: `npm run check` compiles this file.

import { describe, expectTypeOf, it } from 'vitest'
import { allow, ask, context, deny, followup, notice, type Payload, rewrite } from './index.js'
import type { Handlers } from './program.js'

const handlers = (value: Handlers) => value

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

  it('accept the responses of the event', () => {
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

  it('reject other responses', () => {
    handlers({
      // @ts-expect-error this event has no questions
      beforeReadFile: () => ask('Read it?'),
      // @ts-expect-error this event has no follow-up
      beforeShellExecution: () => followup('Go on.'),
      // @ts-expect-error this event cannot be denied
      stop: () => deny('No.'),
      // @ts-expect-error this event cannot be denied
      afterFileEdit: () => deny('No.'),
      // @ts-expect-error this event has no message for the model
      beforeSubmitPrompt: () => deny('No.', { agent: 'Try again.' }),
      // @ts-expect-error one response of the list is not accepted
      preToolUse: () => [allow(), followup('Go on.')],
      // @ts-expect-error responses are made by the functions
      subagentStart: () => ({ permission: 'deny' }),
      // @ts-expect-error nor as a promise
      beforeTabFileRead: async () => ask('Read it?'),
    })
  })

  it('reject unknown events', () => {
    // @ts-expect-error not an event
    handlers({ beforeShell: () => undefined })
  })
})
