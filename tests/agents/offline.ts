// An agent that talks to the model on this machine, and to nobody else.

import type { Asked, Model } from './model.js'

/** The model is the proxy for everything that is not for this machine, too, and sends it nowhere. */
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
