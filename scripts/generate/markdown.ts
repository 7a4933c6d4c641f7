// Builds Markdown, piece by piece.

export const GENERATED = '<!-- Made by `npm run generate` from packages/hooks/src/protocol. Do not edit. -->'

/** Joins the parts of a page; empty parts leave no gap. */
export const page = (...parts: readonly (string | false | undefined)[]): string =>
  `${[GENERATED, ...parts].filter(Boolean).join('\n\n')}\n`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Bars end a cell and angle brackets begin a tag; in code only the bar needs escaping. */
const cell = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')

export const fenced = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``

export const json = (value: unknown): string => fenced('json', JSON.stringify(value, null, 2))

export const code = (text: string): string => `\`${text}\``

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

export const list = (items: readonly string[]): string => items.map(item => `- ${item}`).join('\n')
