// The pages of docs/reference.

import { EVENT_SPECS } from '../../packages/hooks/src/protocol/events.js'
import { agentsPage } from './agents-page.js'
import { codesPage } from './codes-page.js'
import { environmentPage } from './environment-page.js'
import { eventPage } from './event-page.js'
import { eventsPage } from './events-page.js'
import { failuresPage } from './failures-page.js'
import { hooksJsonPage } from './hooks-json-page.js'
import { list, page } from './markdown.js'
import { mergingPage } from './merging-page.js'
import { profilesPage } from './profiles-page.js'
import { toolsPage } from './tools-page.js'

export const REFERENCE_FOLDER = 'docs/reference'

/** Path from the repository → content. */
export function reference(): Map<string, string> {
  const files = new Map<string, string>()
  const add = (path: string, content: string) => files.set(`${REFERENCE_FOLDER}/${path}`, content)
  add('README.md', indexPage())
  add('events.md', eventsPage())
  for (const spec of EVENT_SPECS) add(`events/${spec.name}.md`, eventPage(spec))
  add('hooks-json.md', hooksJsonPage())
  add('merging.md', mergingPage())
  add('failures.md', failuresPage())
  add('codes.md', codesPage())
  add('profiles.md', profilesPage())
  add('environment.md', environmentPage())
  add('agents.md', agentsPage())
  add('tools.md', toolsPage())
  return files
}

const indexPage = (): string =>
  page(
    '# Reference',
    'These pages are generated from the tables and constants that the engine, the command and the server use. To learn step by step, start with the [guides](../guide/README.md).',
    list([
      '[Events](events.md): when each fires, its payload and its response',
      '[hooks.json](hooks-json.md): the file, its keys and locations, order and trust',
      '[Several hooks, one verdict](merging.md): how responses are combined',
      '[When a hook fails](failures.md): which actions proceed and which are stopped',
      '[Environment](environment.md): variables, folder, input and output of a hook',
      '[Codes](codes.md): every issue, failure, note and error, with its fix',
      '[Profiles](profiles.md): differences of other versions',
      '[Commands](cli.md): every command of `holdfast`, its options, exit codes and examples',
      '[Tool input](tools.md): the keys of `tool_input` for each tool, in each agent',
      '[Other agents](agents.md): what the bridges support, and their limitations',
      '[Standards](../concepts/standards.md): the vectors of AGENT-HOOKS, and tests for other engines',
    ]),
    '## Events',
    list(EVENT_SPECS.map(spec => `[${spec.name}](events/${spec.name}.md): ${spec.summary}`)),
    '## Schemas',
    'The package `@holdfast/hooks` contains JSON Schemas (draft-07): `schema/hooks.schema.json`, and for each event `schema/payload/<event>.schema.json` and `schema/answer/<event>.schema.json`.',
  )
