// What the three programs share: a tool, a model with prepared responses, and hooks in front of the tool. In your
// application the model is any model of the AI SDK, and the hooks are those of .cursor/hooks.json.

import { openHooks } from '@holdfast/hooks'
import { scriptedModel } from '@holdfast/hosts/ai-sdk'
import { jsonSchema, tool } from 'ai'

export const tools = {
  refund: tool({
    description: 'Pays money back.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { order: { type: 'number' }, amount: { type: 'number' } },
      required: ['order', 'amount'],
    }),
    // A generator shows its progress; its last value is the result.
    async *execute({ order, amount }) {
      yield `Looking up order ${order} …`
      yield `Refunded ${amount} for order ${order}.`
    },
  }),
}

export const model = () =>
  scriptedModel([
    {
      calls: [
        { tool: 'refund', input: { order: 7, amount: 900 } },
        { tool: 'refund', input: { order: 8, amount: 20 } },
      ],
    },
    { text: 'Order 8 is refunded. A colleague decides about order 7.' },
  ])

export async function hooksOfRefunds() {
  const hooks = await openHooks({ workspaceRoots: [process.cwd()] })
  hooks.register({
    event: 'preToolUse',
    matcher: '^refund$',
    run: ({ tool_input }) =>
      tool_input.amount > 100 ? { permission: 'deny', agent_message: 'Above 100, ask a colleague.' } : {},
  })
  hooks.register({
    event: 'beforeSubmitPrompt',
    run: ({ prompt }) =>
      /card number/i.test(prompt) ? { continue: false, user_message: 'No card numbers, please.' } : {},
  })
  return hooks
}

/** The SDK may put the name of the class before the message of an error. */
export const reasonOf = ({ message }) => message.split('\n')[0].replace(/^Error: /, '')
