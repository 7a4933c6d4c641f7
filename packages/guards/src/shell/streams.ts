// Where the data of a command is while the shell reads it: pipes behind `/dev/fd/63`, open connections, files that it wrote.

import type { Redirection } from 'unbash'
import { type Call, type Input, isShell, type Redirect, type Word } from './call.js'
import { outputOf } from './expansion.js'

export class Streams {
  /** What is behind `/dev/fd/63`. */
  readonly pipes = new Map<string, Input>()
  /** Connections that are open, by their descriptor. */
  readonly sockets = new Map<string, Word>()
  /** Texts that the command wrote into files. */
  private readonly files = new Map<string, string>()

  /** The number of a descriptor; `{name}>` opens one of its own and stores it in a variable. */
  open(
    descriptor: Redirection['descriptor'],
    target: Word,
    variables: Map<string, string>,
  ): number | undefined {
    if (!descriptor) return undefined
    const isNumber = descriptor.type === 'FileDescriptor'
    const number = isNumber ? descriptor.value : 10 + this.sockets.size
    if (!isNumber) variables.set(descriptor.name, String(number))
    if (number > 2 && /^\/dev\/(?:tcp|udp)\//.test(target.text)) this.sockets.set(String(number), target)
    return number
  }

  /** What a call reads through `<(…)` and `< <(…)`. */
  inputOf(name: string, texts: readonly string[], redirects: readonly Redirect[], input: Input): Input {
    if (this.pipes.size === 0) return input
    const pipe =
      redirects.flatMap(({ operator, target }) =>
        operator === '<' ? (this.pipes.get(target.text) ?? []) : [],
      )[0] ?? texts.flatMap(text => this.pipes.get(text.replace(/^.*@/, '')) ?? [])[0]
    if (!pipe) return input
    const isCode = isShell(name) || /^(?:source|\.|make|gmake)$/.test(name)
    const isInput = redirects.some(({ target }) => this.pipes.has(target.text))
    return { from: [...input.from, ...pipe.from], text: isCode || isInput ? pipe.text : input.text }
  }

  /** The script that a call runs, if the same command wrote it before. */
  scriptOf(name: string, path: string, texts: readonly string[]): string | undefined {
    if (this.files.size === 0) return undefined
    const file =
      isShell(name) || /^(?:source|\.)$/.test(name) ? texts.find(text => !/^[-+]/.test(text)) : path
    return this.files.get(plainPath(file ?? ''))
  }

  /** Stores what a call writes. */
  record(call: Call): void {
    const written = [
      ...call.redirects.flatMap(({ operator, target }) => (operator.includes('>') ? [target.text] : [])),
      ...(call.name === 'tee' ? call.args.map(({ text }) => text).filter(text => !text.startsWith('-')) : []),
    ]
    if (written.length === 0) return
    const text = outputOf([call])
    for (const file of written)
      if (text === undefined) this.files.delete(plainPath(file))
      else this.files.set(plainPath(file), text)
  }
}

const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/, '')
