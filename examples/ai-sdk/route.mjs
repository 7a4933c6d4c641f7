// A route handler as in Next.js: app/api/chat/route.js exports POST. Each request is a session with hooks; a blocked
// message is a response with status 403.

import { HookBlockedError } from '@holdfast/hooks'
import { hooksMiddleware, hookTools } from '@holdfast/hosts/ai-sdk'
import { convertToModelMessages, generateText, stepCountIs, wrapLanguageModel } from 'ai'
import { hooksOfRefunds, model, tools } from './refunds.mjs'

// Once for the process: hooks are read at the start, and again when their files change.
const hooks = await hooksOfRefunds()

export async function POST(request) {
  const { messages } = await request.json()
  const session = await hooks.startSession({ model: 'scripted' })
  try {
    const { text } = await generateText({
      model: wrapLanguageModel({ model: model(), middleware: hooksMiddleware(session) }),
      tools: hookTools(tools, session),
      stopWhen: stepCountIs(5),
      messages: await convertToModelMessages(messages),
    })
    await session.fire('stop', { status: 'completed' })
    return Response.json({ text })
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    return Response.json({ error: error.userMessage }, { status: 403 })
  } finally {
    await session.end({ reason: 'completed' })
  }
}

export const close = () => hooks.close()
