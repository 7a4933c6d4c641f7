// Pages without a script. Every text is escaped when it is inserted, except HTML that was built here.

export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[] | null

export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.reduce((whole, text, index) => whole + shown(parts[index - 1]!) + text))
}

function shown(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.map(shown).join('') : escaped(String(part))
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`)
