// Clients of databases: statements that delete data or structure without a way back.

import { type Finding, finding, type Rule } from '../../finding.js'
import { type Row, ruleOf } from '../table.js'

const OBJECT =
  'database|table|schema|index|(?:materialized\\s+)?view|user|role|keyspace|column|function|procedure|trigger|sequence|extension|type|owned|collection|measurement|series|publication|subscription|tablespace|domain|policy|stage|pipe|stream|task|warehouse|dictionary|retention\\s+policy|continuous\\s+query|shard'
export const SQL = new RegExp(
  [
    `\\bdrop\\s+(?:if\\s+exists\\s+)?(?:${OBJECT})\\b`,
    '\\btruncate\\s+(?:table\\s+)?[\\w"`.*{}$\\0\\[]+',
    '\\bdelete\\s+from\\s+[\\w"`.\\[\\]]+\\s*(?:;|$|\'|")',
    '\\bdelete\\s+from\\s+[\\w"`.\\[\\]]+\\s+where\\s+(?:1\\s*=\\s*1|true)\\b',
    '\\balter\\s+table\\s+\\S+\\s+(?:drop|delete|detach)\\b',
    '\\bupdate\\s+[\\w"`.]+\\s+set\\s+(?![\\s\\S]*\\bwhere\\b)',
    '\\breset\\s+master\\b|\\bpurge\\s+(?:binary|master)\\s+logs\\b|\\bshutdown\\s*(?:;|$)',
  ].join('|'),
  'i',
)
const NOSQL =
  /\b(?:flushall|flushdb|dropDatabase\s*\(|deleteMany\s*\(\s*(?:\{\s*\})?\s*\)|\.remove\s*\(\s*\{\s*\}\s*\)|\.drop(?:Indexes|Index|User|AllUsers|Role)?\s*\(|shutdown(?:Server)?\b|debug\s+segfault|config\s+resetstat|script\s+flush|function\s+flush|cluster\s+reset|db\.dropUser|replSetReconfig)/i

const DATA = 'It deletes data permanently.'

const ROWS: readonly Row[] = [
  {
    programs: 'dropdb dropuser',
    deny: /[^-\s]/,
    does: 'It deletes a database or a user.',
    hasOwnVerbs: true,
  },
  {
    programs: 'mysqladmin',
    deny: /\b(?:drop|shutdown|flush-\w+|kill)\b/,
    does: 'It deletes a database, or stops the server.',
    hasOwnVerbs: true,
  },
  {
    programs: 'pg_restore',
    deny: /(?:^| )(?:-\w*c\w*|--clean)(?: |$)/,
    does: 'It drops objects before it restores them.',
    hasOwnVerbs: true,
  },
  {
    programs: 'pg_dump pg_dumpall',
    ask: /(?:^| )(?:-\w*c\w*|--clean)(?: |$)/,
    does: 'The dump drops objects when it is read.',
    hasOwnVerbs: true,
  },
  {
    programs: 'redis-cli valkey-cli keydb-cli',
    deny: /(?:^| )(?:del|unlink|flush\w*|shutdown|debug|cluster (?:reset|forget|flushslots)|script flush|function flush|slaveof|replicaof|config resetstat)(?: |$)/i,
    ask: /(?:^| )(?:eval|config set|config rewrite)(?: |$)/i,
    does: 'It deletes keys, or changes the server.',
  },
  {
    programs:
      'psql mysql mariadb sqlite3 mongosh mongo cqlsh clickhouse-client sqlcmd snowsql duckdb sqlplus bq hive beeline trino',
    deny: SQL,
    does: DATA,
  },
  { programs: 'mongosh mongo redis-cli valkey-cli cqlsh', deny: NOSQL, does: DATA },
  { programs: 'mongorestore', deny: /--drop\b/, does: 'It drops collections before it restores them.' },
  {
    programs:
      'psql mysql mariadb sqlite3 redis-cli valkey-cli keydb-cli mongosh mongo cqlsh clickhouse-client sqlcmd snowsql duckdb sqlplus hive beeline trino',
    hasOwnVerbs: true,
  },
  { programs: 'influx cockroach clickhouse', deny: SQL, does: DATA },
  {
    programs: 'supabase prisma neonctl',
    deny: /\b(?:db reset|migrate reset|db push\b.*(?:--force-reset|--accept-data-loss)|branches delete|projects delete|migration repair|secrets unset|functions delete)/,
    does: 'It resets or deletes a database.',
  },
  {
    programs:
      'rails rake bin/rails knex sequelize typeorm drizzle-kit flyway liquibase alembic artisan manage.py',
    deny: /\b(?:db:drop|db:reset|db:purge|db:migrate:reset|migrate:fresh|migrate:reset|db:wipe|schema:drop|drop|clean|drop-all|dropAll|flush|reset_db|sqlflush|downgrade base)\b/,
    does: DATA,
    hasOwnVerbs: true,
  },
]

export const DATABASES: readonly Rule[] = [ruleOf('databases/destroy', ROWS, true)]

/** SQL that is typed for a client that is open: no shell reads it. */
export const typedSql = (command: string): Finding | undefined =>
  /^\s*(?:drop|truncate|delete|alter|update)\s/i.test(command) && SQL.test(command)
    ? finding('databases/destroy', DATA)
    : undefined
