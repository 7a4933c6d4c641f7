// A text that nobody may see. It travels wrapped: whoever logs the thing that holds it logs no more than one word.

import { inspect } from 'node:util'

export class Secret {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  reveal(): string {
    return this.#text
  }
  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }
}
