// One JSON to AGENT_TELEMETRY_URL. Numbers only: commands and texts may hold secrets, and stay here.

/** Nobody waits longer for it. */
const LIMIT_MS = 1500

/** Never throws: that somebody could not be told is no reason to disturb the agent. */
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
      // What is sent was meant for this address and no other.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    if (!ok) throw new Error(`it answered ${status}`)
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    console.error(`AGENT_TELEMETRY_URL was not told: ${reason}.`)
  }
}
