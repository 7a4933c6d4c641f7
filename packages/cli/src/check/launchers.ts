// Programs that run another program, a file or a task, and where in their arguments it is named.

/** What the first word behind the options of a launcher names. */
export type LauncherTarget =
  /** A file that the launcher reads itself. It needs no execute bit. */
  | 'file'
  /** A command like any other. */
  | 'command'
  /** A program of an installed package. Some launchers download it. */
  | 'package'
  /** A script of package.json. */
  | 'task'
  /** The same, or a program of a package if there is no such script. */
  | 'task or package'
  /** A task of deno.json, or a script of package.json. */
  | 'deno task'
  /** A Python file, or a program of the virtual environment. */
  | 'python'
  /** Nothing that can be looked up. */
  | 'nothing'

export interface Launcher {
  readonly target: LauncherTarget
  /** Options that take the next word as their value. */
  readonly takesValue?: RegExp
  /** Options behind which there is code or a module instead of the target. */
  readonly inline?: RegExp
  /** Options that start in another folder or in several, so that nothing can be looked up. */
  readonly elsewhere?: RegExp
  /** The code behind an inline option is a command. */
  readonly isShell?: true
  /** A word that does not look like a file is a task. */
  readonly hasTasks?: true
  /** Endings that the launcher adds to find a file. */
  readonly endings?: readonly string[]
  /** How many words before the target belong to the launcher. */
  readonly own?: number
  /** First words that change what follows. `itself`: the word is the name of the task. */
  readonly subcommands?: Readonly<Record<string, LauncherTarget | 'itself'>>
}

const all = <T>(names: string, value: T): Record<string, T> =>
  Object.fromEntries(names.split(' ').map(name => [name, value]))

const node: Launcher = {
  target: 'file',
  takesValue:
    /^(?:-r|-C|--require|--import|--loader|--experimental-loader|--conditions|--env-file|--tsconfig)$/,
  inline: /^(?:-e|-p|-pe|--eval|--print|--test|--run)$/,
  endings: ['.js', '.cjs', '.mjs', '.ts', '/index.js', '/index.ts'],
}
const shell: Launcher = {
  target: 'file',
  takesValue: /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/,
  inline: /^-[a-z]*c[a-z]*$/,
  isShell: true,
}
const powershell: Launcher = {
  target: 'file',
  takesValue:
    /^-(?:ExecutionPolicy|ep|ex|WindowStyle|w|OutputFormat|InputFormat|Version|WorkingDirectory|wd)$/i,
  inline: /^-(?:Command|c|EncodedCommand|e|ec)$/i,
}
const python: Launcher = {
  target: 'file',
  takesValue: /^-[WX]$/,
  inline: /^-[a-zA-Z]*[cm]$/,
  endings: ['/__main__.py'],
}
const command: Launcher = { target: 'command' }

const PACKAGE_MANAGER = {
  takesValue: /^(?:-p|--package|--loglevel|--reporter)$/,
  elsewhere:
    /^(?:-C|-F|-w|-ws?|-r|--prefix|--dir|--cwd|--filter|--workspaces?|--recursive|--workspace-root|--if-present)(?:=|$)/,
} as const
const packages: Launcher = {
  target: 'package',
  takesValue: /^(?:-p|--package|-w|--workspace|--from|--with|--python)$/,
  inline: /^(?:-c|--call)$/,
  isShell: true,
}
/** Commands of pnpm and yarn that are not scripts. A script of the same name is started with `run`. */
const MANAGER_COMMANDS = all(
  'add audit bin cache config create deploy dedupe env fetch help i import info init install licenses link list ls ' +
    'node outdated pack patch prune publish rebuild remove rm root set setup store uninstall unlink up update upgrade ' +
    'version why workspace workspaces',
  'nothing' as const,
)
const environment: Launcher = {
  target: 'nothing',
  takesValue:
    /^(?:--(?:with|with-requirements|with-editable|python|env-file|group|extra|index|index-url|python-platform)|-p)$/,
  inline: /^(?:-m|--module|-c)$/,
  elsewhere: /^(?:--directory|--project|--package|-C)(?:=|$)/,
  subcommands: { run: 'python' },
}

export const LAUNCHERS: Readonly<Record<string, Launcher>> = {
  ...all('node nodejs tsx ts-node', node),
  ...all('sh bash zsh dash ksh', shell),
  ...all('pwsh powershell', powershell),
  ...all('python python3', python),
  ...all('exec command nohup time', command),
  env: { ...command, takesValue: /^(?:-u|--unset)$/, elsewhere: /^(?:-C|--chdir)(?:=|$)/ },
  nice: { ...command, takesValue: /^-n$/ },
  sudo: { ...command, takesValue: /^-[ugpCDh]$/ },
  timeout: { ...command, own: 1, takesValue: /^(?:-s|-k|--signal|--kill-after)$/ },
  ruby: { target: 'file', takesValue: /^-[rIC]$/, inline: /^-[a-z]*e$/ },
  perl: { target: 'file', takesValue: /^-I$/, inline: /^-[a-z]*[eE]$/ },
  php: { target: 'file', takesValue: /^-[cd]$/, inline: /^-r$/ },
  bun: {
    ...node,
    elsewhere: /^(?:--cwd|--filter|-F)(?:=|$)/,
    hasTasks: true,
    subcommands: {
      run: 'file',
      x: 'package',
      ...all('add build create init install link pm publish remove repl test update upgrade', 'nothing'),
    },
  },
  deno: {
    ...node,
    target: 'nothing',
    takesValue: /^(?:-c|--config|--import-map|--lock|--env-file|--location)$/,
    inline: /^--eval$/,
    elsewhere: /^--cwd(?:=|$)/,
    subcommands: { run: 'file', task: 'deno task' },
  },
  ...all('npx bunx pnpx uvx pipx', packages),
  npm: {
    ...PACKAGE_MANAGER,
    target: 'nothing',
    subcommands: { ...all('run run-script rum urn', 'task'), ...all('exec x', 'package'), test: 'itself' },
  },
  pnpm: {
    ...PACKAGE_MANAGER,
    target: 'task or package',
    subcommands: {
      ...MANAGER_COMMANDS,
      ...all('run run-script', 'task'),
      ...all('exec dlx', 'package'),
      test: 'itself',
    },
  },
  yarn: {
    ...PACKAGE_MANAGER,
    target: 'task or package',
    subcommands: { ...MANAGER_COMMANDS, run: 'task or package', ...all('exec dlx', 'package') },
  },
  ...all('uv poetry pipenv pdm rye hatch', environment),
}
