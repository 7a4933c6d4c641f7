// Polls of a device for its hooks, as an HTTP client sends them.

import { create, type MessageInitShape, toBinary, toJsonString } from '@bufbuild/protobuf'
import { GetTeamHooksRequestSchema } from '@holdfast/team'

export type Wish = MessageInitShape<typeof GetTeamHooksRequestSchema>

const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks?connect=v1'

/** The two formats of Connect. */
export const FORMATS: Record<string, (wish: Wish) => string> = {
  JSON: wish => {
    const text = toJsonString(GetTeamHooksRequestSchema, create(GetTeamHooksRequestSchema, wish))
    return `${PATH}&encoding=json&message=${encodeURIComponent(text)}`
  },
  binary: wish => {
    const bytes = toBinary(GetTeamHooksRequestSchema, create(GetTeamHooksRequestSchema, wish))
    return `${PATH}&encoding=proto&base64=1&message=${Buffer.from(bytes).toString('base64url')}`
  },
}

export const waitingPath = (waitSeconds = 50) => FORMATS.binary!({ waitSeconds })

/** Waits only with an etag. */
export const poll = (
  url: string,
  token: string,
  etag?: string,
  signal?: AbortSignal,
  waitSeconds = 50,
): Promise<Response> =>
  fetch(url + waitingPath(waitSeconds), {
    headers: { authorization: `Bearer ${token}`, ...(etag ? { 'if-none-match': etag } : {}) },
    ...(signal ? { signal } : {}),
  })

export async function waitingPolls(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^holdfast_waiting_polls (\d+)/m.exec(text)![1])
}
