/** A hook by its file, where it is nothing but a path: what the path ends with says more than where it begins. */
export const hookName = (command: string): string =>
  /^(?:\/|~\/|[A-Za-z]:[\\/]|\\\\)\S*$/.test(command)
    ? (command.split(/[\\/]/).findLast(part => part !== '') ?? command)
    : command
