// Code that comes from elsewhere: downloaded, decoded, or typed over the network.

import { type Call, isShell } from '../call.js'
import { type Finding, finding, type Rule } from '../finding.js'
import { isDecoding, isDownload, printsDownload } from '../origins.js'
import { outputsOf } from '../outputs.js'

/** A program that runs the code on its stdin. */
const RUNS =
  /^(?:python[\d.]*|pypy\d?|node(?:js)?|perl|ruby|php|lua(?:jit)?|bun|deno|iex|invoke-expression|osascript|source|\.|tclsh|rscript|make|gmake|at|batch|crontab|parallel)$/

/** They run their input, whatever their words are. */
const READS_ALWAYS = /^(?:at|batch|crontab|iex|invoke-expression)$/

/** The options of shells and interpreters that take a value. */
const VALUED = /^(?:[-+]\w*[oO]|--(?:rcfile|init-file)|-W|-X)$/

const execution: Rule = subject => {
  const { name, call, texts } = subject
  const isRunner = isShell(name) || RUNS.test(name)
  const files = subject.operands.filter(
    ({ text }) =>
      !/^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+|-s)$/.test(text) &&
      !VALUED.test(texts[texts.indexOf(text) - 1] ?? ''),
  )
  const runsInput =
    isRunner &&
    !texts.some(text => /^(?:-[a-z]*[ce]|-m)$/.test(text) && !/^-[euxo]+$/.test(text)) &&
    (READS_ALWAYS.test(name) ||
      files.length === 0 ||
      texts.some(text => /^-\w*s\w*$/.test(text)) ||
      /^\/dev\/(?:stdin|fd\/\d+)$/.test(subject.operands[0]?.text ?? ''))
  if (runsInput) {
    if (call.input === undefined && call.from.some(isDownload))
      return finding(
        'execution/remote',
        'It runs code from the network that nobody has reviewed.',
        call.from.some(printsDownload) ? 'deny' : 'ask',
      )
    if (call.from.some(isDecoding))
      return finding('execution/decoded', 'It runs code that was encoded or packed.')
  }
  // `xargs bash -c`: each word of the input is a script.
  if (
    /^(?:xargs|parallel)$/.test(name) &&
    texts.some(
      (text, index) =>
        isShellPath(text) &&
        /^-\w*c$/.test(texts[index + 1] ?? '') &&
        /^(?:\{\}|%|_|--)?$/.test(texts[index + 2] ?? ''),
    )
  )
    return finding('execution/remote', 'It runs each line of its input as code.')
  if (
    (/^(?:mshta|regsvr32|rundll32)$/.test(name) || (name === 'deno' && texts[0] === 'run')) &&
    texts.some(text => /^(?:\/i:)?https?:/.test(text))
  )
    return finding('execution/remote', 'It runs code from the network that nobody has reviewed.')
  return (
    connectsShell(subject) ??
    (/^(?:insmod|modprobe|rmmod|kexec)$/.test(name)
      ? finding('execution/kernel', 'It changes the kernel.', 'ask')
      : undefined)
  )
}

const NETWORK_SHELL = 'It connects a shell to the network.'

const connectsShell: Rule = subject => {
  const { name, call, texts, operands } = subject
  const line = texts.join(' ')
  const bad = () => finding('execution/network-shell', NETWORK_SHELL)
  const toNetwork = call.redirects.filter(({ target }) => SOCKET.test(target.text))
  if (toNetwork.length > 0) {
    // A shell is connected if its input comes from there.
    const isInput = call.redirects.some(
      ({ operator, descriptor }) =>
        descriptor === 0 || operator === '<' || operator === '<>' || operator === '<&',
    )
    if (name === 'exec' ? toNetwork.some(({ descriptor = 0 }) => descriptor < 3) : name === ':' && isInput)
      return bad()
    const isAside =
      toNetwork.length === call.redirects.length && toNetwork.every(({ descriptor = 0 }) => descriptor > 2)
    if ((isShell(name) || RUNS.test(name)) && isInput && !isAside) return bad()
  }
  if (isShell(name) && SOCKET.test(line.replace(/^.*(?=\/dev\/)/s, ''))) return bad()
  if (/^(?:nc|ncat|netcat)$/.test(name)) {
    const runs = subject.has('ec', 'exec', 'sh-exec')
    const isListening = /(?:^| )(?:-\w*l|--listen)/.test(line)
    const shell = operands.filter(({ text }) => !isShellPath(text))
    if (runs && (isListening || shell.length > 0))
      return finding('execution/network-shell', NETWORK_SHELL, STARTS_SHELL.test(line) ? 'deny' : 'ask')
    // A loop through a named pipe: the shell reads what the network writes.
    return call.from.some(
      source => isShell(source.name) && source.from.length > 0 && source.input === undefined,
    )
      ? bad()
      : undefined
  }
  if (
    isShell(name) &&
    call.from.some(
      source =>
        /^(?:nc|ncat|netcat|telnet|socat)$/.test(source.name) ||
        (source.name === 'openssl' && source.args[0]?.text === 's_client'),
    )
  )
    return bad()
  if (name === 'socat')
    return /exec:['"]?(?:\S*\/)?(?:ba|z|da|k)?sh\b|system:|(?:^| )shell\b/i.test(line) &&
      /(?:tcp|udp|openssl|ssl|sctp|vsock|listen|proxy|socks)/i.test(line)
      ? bad()
      : undefined
  return undefined
}

/** Another machine; a port of this one is often only tested. */
const SOCKET = /^\/dev\/(?:tcp|udp)\/(?!localhost\b|127\.|::1)/

const STARTS_SHELL =
  /(?:^|[ =/'"])(?:(?:ba|z|da|k|a|c|tc|fi)?sh|python[\d.]*|perl|ruby|php|node|cmd(?:\.exe)?|powershell|pwsh)(?:[ '"]|$)/

const isShellPath = (text: string): boolean => isShell(text.replace(/^.*\//, ''))

/** A download into a file, and then the file is run, whatever it is called by then. */
export function runsDownload(calls: readonly Call[]): Finding | undefined {
  const files = new Set<string>()
  const nameOf = (text: string) => text.replace(/^\.\//, '')
  for (const call of calls) {
    const texts = call.args.map(({ text }) => text)
    const written = call.redirects
      .filter(({ operator }) => /^(?:>|>>|>\||&>)$/.test(operator))
      .map(({ target }) => target.text)
    const isSource =
      isDownload(call) || isDecoding(call) || call.from.some(one => isDownload(one) || isDecoding(one))
    if (isSource) {
      for (const text of [
        ...written,
        ...(call.name === 'tee' ? texts : outputsOf(call).map(({ text }) => text)),
      ])
        files.add(nameOf(text))
      continue
    }
    // Written again with something else.
    for (const [index, text] of written.entries())
      if (call.redirects.filter(({ operator }) => />/.test(operator))[index]?.operator === '>')
        files.delete(nameOf(text))
    if (call.name === 'rm') for (const text of texts) files.delete(nameOf(text))
    if (/^(?:mv|cp|ln|install|rename)$/.test(call.name)) {
      const operands = texts.filter(text => !text.startsWith('-'))
      if (operands.slice(0, -1).some(text => files.has(nameOf(text)))) files.add(nameOf(operands.at(-1)!))
    }
    const program = call.path ?? call.name
    const script =
      isShell(call.name) || RUNS.test(call.name) ? texts.find(text => !text.startsWith('-')) : undefined
    const isRead =
      isShell(call.name) &&
      call.redirects.some(({ operator, target }) => operator === '<' && files.has(nameOf(target.text)))
    if (files.has(nameOf(program)) || isRead || (script !== undefined && files.has(nameOf(script))))
      return finding('execution/remote', 'It runs a file that it downloaded or decoded.')
  }
  return undefined
}

export const EXECUTION: readonly Rule[] = [execution]
