// Which database a name means.

export type DatabaseKind = 'sqlite' | 'postgres'

export const kindOf = (database: string): DatabaseKind =>
  /^postgres(ql)?:\/\//.test(database) ? 'postgres' : 'sqlite'
