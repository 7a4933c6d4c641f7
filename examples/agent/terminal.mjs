// Terminal output and input. Colour only on a terminal that supports it.

import { createInterface } from 'node:readline'

const colours = process.stdout.isTTY && !process.env.NO_COLOR
const paint = code => text => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
const dim = paint(2)
const bold = paint(1)
const amber = paint(33)

const LONGEST = 100
/** Errors get more room. */
const LONGEST_ERROR = 400

export function openTerminal() {
  const reader = createInterface({ input: process.stdin, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  let isLineOpen = false
  const write = text => {
    process.stdout.write(text)
    if (text !== '') isLineOpen = !text.endsWith('\n')
  }
  const endLine = () => {
    if (isLineOpen) write('\n')
  }
  const ask = async question => {
    endLine()
    write(question)
    const { value, done } = await lines.next()
    if (done || !process.stdin.isTTY) write('\n')
    isLineOpen = false
    return done ? undefined : value
  }
  // Tools run concurrently, but their questions are asked one at a time.
  let asked = Promise.resolve()
  const confirm = question => {
    const answer = asked.then(async () =>
      /^y(es)?$/i.test((await ask(`${bold(question)} [y/N] `))?.trim() ?? ''),
    )
    asked = answer.catch(() => {})
    return answer
  }
  const note = text => {
    endLine()
    write(`${amber('!')} ${text}\n`)
  }
  /** One part of what an agent prints or does. Parts of a subagent appear under its name. */
  const show = (part, { subagent }) => {
    const line = text => {
      endLine()
      write(`${subagent ? dim(`  ${subagent} `) : ''}${text}\n`)
    }
    if (part.type === 'text-delta' && !subagent) write(part.text)
    if (part.type === 'reasoning-delta' && !subagent) write(dim(part.text))
    if (part.type === 'reasoning-end' || part.type === 'text-end') endLine()
    if (part.type === 'tool-call') line(`${bold(part.toolName)} ${dim(short(part.input))}`.trimEnd())
    if (part.type === 'tool-result') line(dim(`  ${resultOf(part.output)}`))
    if (part.type === 'tool-error') {
      line(amber(`  ${oneLine(part.error?.message ?? part.error, LONGEST_ERROR)}`))
    }
  }
  /** This message comes from a hook and continues the turn like one of the user. */
  const goOn = (message, { subagent }) =>
    note(`A hook goes on${subagent ? ` with ${subagent}` : ''}: ${message}`)
  return { ask, confirm, note, show, goOn, short, endLine, close: () => reader.close() }
}

/** The output of a command, and how it ended if it failed or printed nothing. */
function resultOf(output) {
  if (typeof output?.output !== 'string') return oneLine(output)
  const { exitCode, output: printed } = output
  return oneLine(exitCode === 0 && printed.trim() ? printed : `exit ${exitCode ?? 'by a signal'} ${printed}`)
}

/** The most informative value of an input. */
export function short(input) {
  const { command, file_path, path, pattern, glob, description, tool_input } = input ?? {}
  if (Object.keys(input ?? {}).length === 0) return ''
  return oneLine(command ?? file_path ?? (pattern || glob) ?? path ?? description ?? tool_input ?? input)
}

function oneLine(value, longest = LONGEST) {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).trim().replace(/\s+/g, ' ')
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
