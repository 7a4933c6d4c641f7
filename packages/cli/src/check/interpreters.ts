// Programs that are given another program to run, and where in their arguments it stands.

export interface Interpreter {
  /** Options that take the next word with them. */
  readonly takesValue?: RegExp
  /** Options after which there is no file: code or a module follows. */
  readonly inline?: RegExp
  /** Of those: the next word is itself a command for a shell. */
  readonly shell?: true
  readonly subcommand?: RegExp
  readonly endings?: readonly string[]
}

const NODE_ENDINGS = ['.js', '.cjs', '.mjs', '.ts', '/index.js', '/index.ts']
const node: Interpreter = {
  takesValue:
    /^(?:-r|-C|--require|--import|--loader|--experimental-loader|--conditions|--env-file|--tsconfig)$/,
  inline: /^(?:-e|-p|-pe|--eval|--print|--test|--run)$/,
  endings: NODE_ENDINGS,
}
const shell: Interpreter = {
  takesValue: /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/,
  inline: /^-[a-z]*c[a-z]*$/,
  shell: true,
}
const python: Interpreter = { takesValue: /^-[WX]$/, inline: /^-[a-zA-Z]*[cm]$/, endings: ['/__main__.py'] }
const powershell: Interpreter = {
  takesValue:
    /^-(?:ExecutionPolicy|ep|ex|WindowStyle|w|OutputFormat|InputFormat|Version|WorkingDirectory|wd)$/i,
  inline: /^-(?:Command|c|EncodedCommand|e|ec)$/i,
}

export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  node,
  nodejs: node,
  tsx: node,
  'ts-node': node,
  bun: { ...node, subcommand: /^run$/ },
  deno: { ...node, subcommand: /^run$/, takesValue: /^(?:-c|--config|--import-map|--lock)$/ },
  python,
  python3: python,
  bash: shell,
  sh: shell,
  zsh: shell,
  dash: shell,
  ksh: shell,
  ruby: { takesValue: /^-[rIC]$/, inline: /^-[a-z]*e$/ },
  perl: { takesValue: /^-I$/, inline: /^-[a-z]*[eE]$/ },
  php: { takesValue: /^-[cd]$/, inline: /^-r$/ },
  pwsh: powershell,
  powershell,
}

export interface Starter {
  /** How many words are its own before the other program's name. */
  readonly own: number
  readonly subcommand?: RegExp
}

/** Programs that only start another one. */
export const STARTERS: Readonly<Record<string, Starter>> = {
  env: { own: 0 },
  exec: { own: 0 },
  command: { own: 0 },
  nohup: { own: 0 },
  time: { own: 0 },
  timeout: { own: 1 },
  npx: { own: 0 },
  bunx: { own: 0 },
  pnpm: { own: 0, subcommand: /^(?:exec|dlx)$/ },
  yarn: { own: 0, subcommand: /^(?:exec|dlx|run)$/ },
  npm: { own: 0, subcommand: /^(?:exec|x)$/ },
  uv: { own: 0, subcommand: /^run$/ },
  poetry: { own: 0, subcommand: /^run$/ },
}
