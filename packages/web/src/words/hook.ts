/** The file name of a command that is only a path; other commands are not shortened. */
export const hookName = (command: string): string =>
  /^(?:\/|~\/|[A-Za-z]:[\\/]|\\\\)\S*$/.test(command)
    ? (command.split(/[\\/]/).findLast(part => part !== '') ?? command)
    : command
