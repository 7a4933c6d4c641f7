// The edited payload of each event, until the tab is closed.

const typed = new Map<string, string>()

export const payloadOf = (event: string): string | undefined => typed.get(event)
export const keepPayload = (event: string, text: string): void => void typed.set(event, text)

export const pretty = (json: string): string => {
  try {
    return `${JSON.stringify(JSON.parse(json), null, 2)}\n`
  } catch {
    return json
  }
}
