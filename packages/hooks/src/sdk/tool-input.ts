// The subject of a tool call, under any key that an agent or version uses. docs/reference/tools.md lists the keys.

const FILE_KEYS = ['file_path', 'path', 'notebook_path', 'target_file', 'absolute_path']

type Fields = Readonly<Record<string, unknown>>

/**
 * The file, or for a search the folder, that the event is about, as the payload has it; undefined if it names none. A patch
 * names its files in its text.
 */
export function filePathOf(payload: object): string | undefined {
  const { file_path } = payload as Fields
  const input = inputOf(payload)
  // The first key that is present decides: a guard must not judge another path than the tool uses.
  const key = FILE_KEYS.find(name => input[name] !== undefined && input[name] !== null)
  return text(file_path ?? (key && input[key]))
}

/** The shell command of the event; undefined if it is not about a shell command. */
export const commandOf = (payload: object): string | undefined =>
  'tool_name' in payload
    ? payload.tool_name === 'Shell'
      ? text(inputOf(payload).command)
      : undefined
    : text((payload as Fields).command)

/** The address that a web tool loads; undefined if the call has none. */
export const urlOf = (payload: object): string | undefined => text(inputOf(payload).url)

function inputOf(payload: object): Fields {
  const { tool_input } = payload as Fields
  return typeof tool_input === 'object' && tool_input !== null ? (tool_input as Fields) : {}
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
