// A ToolLoopAgent with hooks: withHooks begins the session, and the agent is used as before.

import { withHooks } from '@holdfast/hosts/ai-sdk'
import { ToolLoopAgent } from 'ai'
import { hooksOfRefunds, model, reasonOf, tools } from './refunds.mjs'

const hooks = await hooksOfRefunds()
const agent = await withHooks(new ToolLoopAgent({ model: model(), tools }), { hooks })
try {
  const { text, steps } = await agent.generate({ prompt: process.argv[2] ?? 'Refund orders 7 and 8.' })
  for (const part of steps[0].content) {
    if (part.type === 'tool-result') console.log('→', part.output)
    if (part.type === 'tool-error') console.log('✗', reasonOf(part.error))
  }
  console.log(text)
} catch (error) {
  console.log('✗', error.message)
}
await agent.end()
hooks.close()
