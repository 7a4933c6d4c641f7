// SQL through clients in the shell and through MCP tools: reads pass, writes ask, and statements that destroy data or open
// access are denied.

import { type Finding, findingOf, type Guard, type Judgement, NOTHING } from '../guard.js'
import { commandOf, mcpOf } from '../payload.js'
import { type Call, readCommand } from '../shell/index.js'
import { readArguments, sqlIn } from './arguments.js'
import { judge, strictest } from './judge.js'

const ALTERNATIVES = {
  'sql/destroy':
    'Select the rows first, `psql -c "SELECT count(*) FROM users"`, and let the user run the statement.',
  'sql/write':
    'Show what it would change, `psql -c "SELECT * FROM users WHERE id = 1"`, and let the user decide.',
  'sql/unknown': 'Send the statement itself: `psql -c "SELECT 1"`.',
} as const
const finding = findingOf(ALTERNATIVES)

/** Servers and tools of databases: their calls are checked more strictly. */
const DATABASE =
  /sql|postgres|maria|oracle|duckdb|clickhouse|snowflake|bigquery|supabase|neon|database|(?<![a-z])db(?![a-z])/i
/** Tools whose name shows that they only read. */
const LOOKS = /^(?:list|describe|show|get|read|explain|inspect|search)(?![a-z])/i
const CLIENTS =
  /^(?:psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|snowsql|sqlplus|clickhouse(?:-client)?|cockroach|usql|trino|bq|hive|beeline)$/
/** The options of clients whose value is SQL. */
const STATEMENT = /^(?:-c|-e|-q|-Q|--command|--execute|--query|-cmd)$/

export const sql: Guard = {
  name: 'sql',
  summary: 'SQL: reads pass, writes ask, destructive statements are denied',
  options: {
    writes: {
      type: 'text',
      about: 'what happens to writes',
      default: 'ask',
      values: ['ask', 'deny', 'allow'],
    },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options): Judgement {
    const command = commandOf(payload)
    const { findings, unknown = [] } =
      command === undefined ? { findings: ofTool(payload) } : ofCommand(command)
    const { writes } = options
    return {
      unknown,
      findings: findings.flatMap(one =>
        one.rule !== 'sql/write'
          ? [one]
          : writes === 'allow'
            ? []
            : [{ ...one, decision: writes === 'deny' ? 'deny' : 'ask' }],
      ),
    }
  },
}

function findingsOf(texts: readonly string[]): Finding[] {
  const { kind, why } = strictest(texts.map(text => judge(text)))
  if (kind === 'denied') return [finding('sql/destroy', `The statement is not run: ${why}.`)]
  return kind === 'write' ? [finding('sql/write', `It may change the database: ${why}.`, 'ask')] : []
}

function ofTool(payload: Readonly<Record<string, unknown>>): readonly Finding[] {
  const mcp = mcpOf(payload)
  if (!mcp) return NOTHING.findings
  const { server, tool, address } = mcp
  const isDatabase = [tool, server, address].some(text => DATABASE.test(text))
  let texts: string[]
  try {
    const { tool_input: input } = payload
    texts = sqlIn(readArguments(typeof input === 'string' ? input : JSON.stringify(input)), isDatabase)
  } catch (error) {
    return isDatabase
      ? [finding('sql/unknown', `The arguments of ${tool} cannot be read: ${(error as Error).message}.`)]
      : []
  }
  if (texts.length === 0 && isDatabase && !LOOKS.test(tool))
    return [finding('sql/unknown', `${tool} goes to a database, and its arguments have no SQL.`, 'ask')]
  return findingsOf(texts)
}

/** A command that may contain SQL, where a program is not known. */
const MENTIONS =
  /sql|maria|duckdb|clickhouse|cockroach|trino|beeline|\b(?:drop|truncate|alter|delete\s+from|update|insert\s+into|grant|revoke)\b/i

function ofCommand(command: string): Judgement {
  const findings: Finding[] = []
  const { calls, unknown } = readCommand(command, { cwd: '/', home: '/root' })
  for (const call of calls) {
    if (!CLIENTS.test(call.name)) continue
    const { texts, isKnown } = sqlOf(call)
    // `\d`, `.tables`: commands of the client.
    findings.push(...findingsOf(texts.filter(text => !/^\s*[\\.]\w/.test(text) && text.trim() !== '')))
    if (!isKnown) findings.push(finding('sql/unknown', 'The statement is known only when it runs.', 'ask'))
  }
  return { findings, unknown: MENTIONS.test(command) ? unknown : [] }
}

function sqlOf({ name, args, input, from, redirects }: Call): { texts: string[]; isKnown: boolean } {
  const texts: string[] = []
  let isKnown = true
  for (const [index, { text, isKnown: isOwn }] of args.entries()) {
    const [, attached] = /^--(?:command|execute|query)=([\s\S]*)$/.exec(text) ?? []
    const isStatement =
      STATEMENT.test(args[index - 1]?.text ?? '') ||
      (/^(?:sqlite3?|duckdb|bq)$/.test(name) && index > 0 && /\s/.test(text))
    if (attached ?? (isStatement ? text : undefined)) {
      texts.push(attached ?? text)
      isKnown &&= isOwn
    }
  }
  if (input !== undefined) texts.push(input)
  else if (from.length > 0) isKnown = false
  if (
    redirects.some(({ operator }) => operator === '<') ||
    args.some(({ text }) => /^(?:-f|--file)/.test(text))
  )
    isKnown = false
  return { texts, isKnown }
}
