// Completion scripts. Each follows the words of the command line to a node, and offers what the node has.

import { shellWord } from '@holdfast/hooks'
import type { CompletedOption, Node } from './model.js'

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

export const completionScript = (shell: Shell, nodes: readonly Node[]): string => SCRIPTS[shell](nodes)

const SCRIPTS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish, powershell }

const namesOf = ({ options }: Node): string[] => options.map(({ name }) => name)

/** Options with values, with their nodes. */
const valued = (nodes: readonly Node[]): [Node, CompletedOption][] =>
  nodes.flatMap(node =>
    node.options
      .filter(({ value }) => value !== 'none')
      .map((option): [Node, CompletedOption] => [node, option]),
  )

/** Shell patterns "path option" of options with a kind of value, such as `'fire --root'|'list --root'`. */
const patterns = (nodes: readonly Node[], kind: CompletedOption['value']): string =>
  valued(nodes)
    .filter(([, { value }]) => value === kind)
    .map(([{ path }, { name }]) => shellWord(`${path} ${name}`))
    .join('|')

const subcommandPatterns = (nodes: readonly Node[]): string =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => shellWord(path))
    .join('|')

const eachKind = (
  nodes: readonly Node[],
  lines: Readonly<Record<'any' | 'file' | 'folder', string>>,
): string =>
  Object.entries(lines)
    .map(([kind, line]) => `    ${patterns(nodes, kind as 'any')}) ${line} ;;`)
    .join('\n')

const wordLists = (nodes: readonly Node[], line: (words: readonly string[]) => string): string =>
  valued(nodes)
    .flatMap(([{ path }, { name, value }]) =>
      typeof value === 'string' ? [] : [`    ${shellWord(`${path} ${name}`)}) ${line(value)} ;;`],
    )
    .join('\n')

function bash(nodes: readonly Node[]): string {
  const offer = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W ${shellWord(words.join(' '))} -- "$current"))`
  const cases = nodes.map(node => {
    const { path, words, takesFiles } = node
    const files = takesFiles ? `; compopt -o filenames; COMPREPLY+=($(compgen -f -- "$current"))` : ''
    return `    ${shellWord(path)})
      if [[ $current == -* ]]; then ${offer(namesOf(node))}
      else ${offer(words.map(([word]) => word))}${files}; fi ;;`
  })
  return `# Completion of holdfast for bash.
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
      ${subcommandPatterns(nodes)}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${eachKind(nodes, {
  any: 'return',
  file: 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return',
  folder: 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")); return',
})}
${wordLists(nodes, words => `${offer(words)}; return`)}
  esac
  case "$path" in
${cases.join('\n')}
  esac
}
complete -F _holdfast holdfast
`
}

function zsh(nodes: readonly Node[]): string {
  const described = (words: readonly (readonly [string, string])[]) =>
    words
      .map(([word, summary]) => shellWord(`${word.replaceAll(':', '\\:')}${summary ? `:${summary}` : ''}`))
      .join(' ')
  const cases = nodes.map(({ path, words, takesFiles, options }) => {
    const files = takesFiles ? '; _files' : ''
    return `    ${shellWord(path)})
      if [[ $current == -* ]]; then candidates=(${described(options.map(({ name, summary }) => [name, summary]))})
        _describe -o option candidates
      else candidates=(${described(words)})
        _describe command candidates${files}; fi ;;`
  })
  return `#compdef holdfast
# Completion of holdfast for zsh.
_holdfast() {
  local current="$words[CURRENT]" previous="$words[CURRENT-1]" place='' i
  local -a candidates
  for ((i = 2; i < CURRENT; i++)); do
    case "\${place:+$place }$words[i]" in
      ${subcommandPatterns(nodes)}) place="\${place:+$place }$words[i]" ;;
    esac
  done
  case "$place $previous" in
${eachKind(nodes, { any: 'return', file: '_files; return', folder: '_files -/; return' })}
${wordLists(nodes, words => `compadd -- ${words.map(shellWord).join(' ')}; return`)}
  esac
  case "$place" in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words, takesFiles, options }) => {
    const start = `complete -c holdfast -n ${shellWord(`__holdfast_at ${shellWord(path)}`)}`
    return [
      ...words.map(([word, summary]) => `${start} -a ${shellWord(word)} -d ${shellWord(summary)}`),
      ...(takesFiles ? [`${start} -F`] : []),
      ...options.map(({ name, summary, value }) => {
        const known = typeof value === 'string' ? '' : ` -a ${shellWord(value.join(' '))}`
        const folders = value === 'folder' ? " -a '(__fish_complete_directories)'" : ''
        const needs = value === 'none' ? '' : value === 'file' ? ' -r -F' : ' -x'
        return `${start} -l ${name.slice(2)}${needs}${known}${folders} -d ${shellWord(summary)}`
      }),
    ]
  })
  return `# Completion of holdfast for fish.
function __holdfast_at
    set -l path
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' $path $word)
            case ${nodes
              .filter(({ path }) => path !== '')
              .map(({ path }) => shellWord(path))
              .join(' ')}
                set -a path $word
        end
    end
    test "$path" = "$argv[1]"
end
complete -c holdfast -f
${lines.join('\n')}
`
}

function powershell(nodes: readonly Node[]): string {
  const array = (words: readonly string[]) => `@(${words.map(quoteForPowerShell).join(', ')})`
  const table = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([path, words]) => `    ${quoteForPowerShell(path)} = ${words}`).join('\n')
  const lists = valued(nodes).map(([{ path }, { name, value }]): [string, string] => [
    `${path} ${name}`,
    array(typeof value === 'string' ? [] : value),
  ])
  return `# Completion of holdfast for PowerShell.
Register-ArgumentCompleter -Native -CommandName holdfast -ScriptBlock {
  param($current, $line, $position)
  $words = @{
${table(nodes.map(({ path, words }) => [path, array(words.map(([word]) => word))]))}
  }
  $options = @{
${table(nodes.map(node => [node.path, array(namesOf(node))]))}
  }
  # Options with values. Without known values, PowerShell completes files.
  $values = @{
${table(lists)}
  }
  $path = ''
  $typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  for ($i = 1; $i -lt $typed.Count; $i++) {
    $next = "$path $($typed[$i])".Trim()
    if ($words.ContainsKey($next)) { $path = $next }
  }
  $option = "$path $($typed[-1])"
  $found = if ($values.ContainsKey($option)) { $values[$option] } elseif ($current -like '-*') { $options[$path] } else { $words[$path] }
  $found | Where-Object { $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}

const quoteForPowerShell = (text: string): string => `'${text.replaceAll("'", "''")}'`
