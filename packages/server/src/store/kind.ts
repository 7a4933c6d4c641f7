// Which database a name refers to.

export type DatabaseKind = 'sqlite' | 'postgres'

export const kindOf = (database: string): DatabaseKind =>
  /^postgres(ql)?:\/\//.test(database) ? 'postgres' : 'sqlite'
