// An agent that only reaches the model on this machine.

import type { Asked, Model } from './model.js'

/** The model is also the proxy for all other addresses, and forwards nothing. */
export const offline = ({ url }: Model): NodeJS.ProcessEnv => ({
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  NO_PROXY: '127.0.0.1,localhost',
})

export function mustHaveStayed(asked: readonly Asked[], output: string): void {
  const away = asked.filter(({ method, url }) => method === 'CONNECT' || !url.startsWith('/'))
  const urls = away.map(({ url }) => url).join(', ')
  if (away.length > 0) throw new Error(`The agent wanted to leave this machine: ${urls}\n${output}`)
}
