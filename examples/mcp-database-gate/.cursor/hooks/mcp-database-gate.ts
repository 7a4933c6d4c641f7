// SQL that goes to a database through MCP: reads pass, writes are asked about, what destroys or opens up is denied.

import { ask, deny, hook } from '@holdfast/hooks/sdk'
import { readArguments, sqlIn } from './arguments.js'
import { judge, strictest } from './judge.js'

/** Servers and tools of a database: their calls are looked at more closely. */
const DATABASE =
  /sql|postgres|maria|oracle|duckdb|clickhouse|snowflake|bigquery|supabase|neon|database|(?<![a-z])db(?![a-z])/i
/** Tools that say by their name that they only look. */
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
    agent: `Stopped: ${why}. Do not try again in other words. Show the person the statement; they can run it themselves.`,
  })
