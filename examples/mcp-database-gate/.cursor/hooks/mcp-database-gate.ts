// Checks SQL that reaches a database through MCP: reads pass, writes ask, and statements that destroy data or open
// access are denied.

import { ask, deny, hook } from '@holdfast/hooks/sdk'
import { readArguments, sqlIn } from './arguments.js'
import { judge, strictest } from './judge.js'

/** Servers and tools of databases: their calls are checked more strictly. */
const DATABASE =
  /sql|postgres|maria|oracle|duckdb|clickhouse|snowflake|bigquery|supabase|neon|database|(?<![a-z])db(?![a-z])/i
/** Tools whose name shows that they only read. */
const LOOKS = /^(?:list|describe|show|get|read|explain|inspect|search)(?![a-z])/i

export default hook({
  beforeMCPExecution: payload => {
    const { tool_name: tool, mcp_server_name = '', url = '', command = '' } = payload
    let texts: string[]
    const isDatabase = [tool, mcp_server_name, url, command].some(text => DATABASE.test(text))
    try {
      texts = sqlIn(readArguments(payload.tool_input), isDatabase)
    } catch (error) {
      return denied(`the arguments of ${tool} cannot be read: ${(error as Error).message}`)
    }
    if (texts.length === 0 && isDatabase && !LOOKS.test(tool)) {
      return ask(`${tool} goes to a database, and there is no SQL in its arguments to look at. Go on?`)
    }
    const { kind, why } = strictest(texts.map(text => judge(text)))
    if (kind === 'denied') return denied(why)
    if (kind === 'write') return ask(`This may change the database: ${why}. Run it?`)
  },
})

const denied = (why: string) =>
  deny(`The database call was stopped: ${why}.`, {
    agent: `Stopped: ${why}. Do not rephrase it and try again. Show the user the statement; they can run it themselves.`,
  })
