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
  return files
}

const indexPage = (): string =>
  page(
    '# Reference',
    'Made from the same table that the engine runs on. To learn by doing, begin with the [guide](../guide/README.md).',
    list([
      '[Events](events.md): what happens, what hooks read, what they may say',
      '[hooks.json](hooks-json.md): the file, its keys, where it may lie, order and trust',
      '[Several hooks, one verdict](merging.md): how answers are joined',
      '[When a hook fails](failures.md): what goes on and what is stopped',
      '[Environment](environment.md): variables, folder, input and output of a hook',
      '[Codes](codes.md): every issue, failure, note and error, with its remedy',
      '[Profiles](profiles.md): what other versions do otherwise',
      '[Other agents](agents.md): what the bridges carry, and what not',
    ]),
    '## Events',
    list(EVENT_SPECS.map(spec => `[${spec.name}](events/${spec.name}.md): ${spec.summary}`)),
    '## Schemas',
    'The package `@holdfast/hooks` holds JSON Schemas (draft-07): `schema/hooks.schema.json`, and for each event `schema/payload/<event>.schema.json` and `schema/answer/<event>.schema.json`.',
  )
