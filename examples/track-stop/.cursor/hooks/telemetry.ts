// Sends one JSON to AGENT_TELEMETRY_URL. It contains only numbers, because commands and texts may contain secrets.

/** The time limit of the request. */
const LIMIT_MS = 1500

/** Never throws: a failed report must not disturb the agent. */
export async function send(summary: Readonly<Record<string, unknown>>): Promise<void> {
  const address = process.env.AGENT_TELEMETRY_URL
  if (!address) return
  try {
    const { protocol } = new URL(address)
    if (protocol !== 'http:' && protocol !== 'https:') throw new Error('it is not an http address')
    const { ok, status } = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(summary),
      // The data is meant for this address only, so redirects are not followed.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    if (!ok) throw new Error(`it answered ${status}`)
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    console.error(`The report to AGENT_TELEMETRY_URL failed: ${reason}.`)
  }
}
