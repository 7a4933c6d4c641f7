// streamText with hooks: the tools and the model get them, the session is the application's.

import { hooksMiddleware, hookTools } from '@holdfast/hosts/ai-sdk'
import { stepCountIs, streamText, wrapLanguageModel } from 'ai'
import { hooksOfRefunds, model, reasonOf, tools } from './refunds.mjs'

const hooks = await hooksOfRefunds()
const session = await hooks.startSession({ model: 'scripted' })
const { fullStream } = streamText({
  model: wrapLanguageModel({ model: model(), middleware: hooksMiddleware(session) }),
  tools: hookTools(tools, session),
  stopWhen: stepCountIs(5),
  prompt: process.argv[2] ?? 'Refund orders 7 and 8.',
  onError: () => {},
})
for await (const part of fullStream) {
  if (part.type === 'tool-result') console.log(part.preliminary ? '…' : '→', part.output)
  if (part.type === 'tool-error' || part.type === 'error') console.log('✗', reasonOf(part.error))
  if (part.type === 'text-delta') process.stdout.write(part.text)
  if (part.type === 'text-end') console.log()
}
await session.fire('stop', { status: 'completed' })
await session.end({ reason: 'completed' })
hooks.close()
