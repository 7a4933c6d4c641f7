// The file format: what may stand in it, where it may lie, in which order it counts, who may run.

import {
  ENTRY_FIELDS,
  type EntryField,
  FILE_FIELDS,
  SOURCES,
  type SourceKind,
} from '../../packages/hooks/src/protocol/config.js'
import { EVENT_SPECS } from '../../packages/hooks/src/protocol/events.js'
import { entryOf, exampleFor } from './examples.js'
import { asJsonSchema, SCHEMA_HOST, typeInWords } from './json-schema.js'
import { manifestSection } from './manifest-section.js'
import { code, fenced, json, list, page, table } from './markdown.js'

const PLACES: Readonly<Record<SourceKind, { place: string; runsIn: string }>> = {
  enterprise: {
    place:
      'Linux and WSL `/etc/cursor/hooks.json`; macOS `/Library/Application Support/Cursor/hooks.json`; Windows `C:\\ProgramData\\Cursor\\hooks.json`',
    runsIn: 'the folder of the file',
  },
  team: { place: '`~/.cursor/managed/team_<id>/hooks/manifest.json`', runsIn: 'the folder of the manifest' },
  project: { place: '`<root>/.cursor/hooks.json`, of every open root', runsIn: 'the root' },
  user: { place: '`~/.cursor/hooks.json`', runsIn: '`~/.cursor`' },
  'claude-local': { place: '`<root>/.claude/settings.local.json`', runsIn: 'the root' },
  'claude-project': { place: '`<root>/.claude/settings.json`', runsIn: 'the root' },
  'claude-user': { place: '`~/.claude/settings.json`', runsIn: 'the first root' },
  plugin: {
    place:
      '`<plugin>/.cursor-plugin/plugin.json`, which names its hooks; `<plugin>/hooks/hooks.json` when it names none',
    runsIn: 'the plugin folder',
  },
}

const example = {
  $schema: `${SCHEMA_HOST}/hooks.schema.json`,
  version: 1,
  hooks: Object.fromEntries(
    EVENT_SPECS.filter(spec => spec.name === 'beforeShellExecution' || spec.name === 'stop').map(spec => [
      spec.name,
      [entryOf(exampleFor(spec))],
    ]),
  ),
}

export const hooksJsonPage = (): string =>
  page(
    '# hooks.json',
    'One JSON object. Under `hooks`, each event holds an array of hooks. They run at the same time, and what they say is joined in the order of the file.',
    json(example),
    list([
      '`version` may be absent and is 1. Another positive whole number is read as 1, with a warning; anything else makes the file unusable.',
      '`$schema` gives editors completion and checks. The same file is in the package: `@holdfast/hooks/schema/hooks.schema.json`; `holdfast schema --install` puts a copy beside hooks.json, which works without a network.',
      'Comments are allowed. A byte order mark and trailing commas are accepted with a warning.',
      'An event or a `hooks` object that stands twice is not lost: the hooks of both run, with a warning.',
      'The file may have up to 1 MiB, 50,000 tokens and 2,000 hooks, and must be UTF-8.',
    ]),
    '## Further keys of the file',
    keys(FILE_FIELDS),
    'See [protected hook files](../guide/agents.md#hook-files-are-protected).',
    '## The keys of a hook',
    keys(ENTRY_FIELDS),
    'A hook has a `command`, or `"type": "prompt"` and a `prompt`. Without `failClosed`, the event decides: see [failures](failures.md). Hooks from Claude settings have no loop limit unless they set one.',
    'A prompt hook puts a question to a model and needs a host that can ask one:',
    json({
      version: 1,
      hooks: {
        beforeShellExecution: [
          {
            type: 'prompt',
            prompt: 'Does this command change only files inside the project? $ARGUMENTS',
            timeout: 20,
            failClosed: true,
          },
        ],
      },
    }),
    '## Matchers',
    list([
      'A matcher is a JavaScript regular expression. It is searched, not anchored, and case counts: `git push` means "contains git push".',
      'Absent, `""` and `"*"` match all.',
      'What it is held against depends on the event: see [events](events.md).',
      'A pattern that cannot be compiled, or that takes too long, counts as a match on events with `permission`, and as none elsewhere.',
    ]),
    '## When something is wrong',
    'A bad entry is left out, with an issue that names file, line, column and the fix; its neighbours load. Unknown events and keys are warnings with the nearest known name. A file that breaks while the engine runs keeps its last good hooks, and says so. A file that is deleted has no hooks any more. Every issue has a [code](codes.md).',
    'To see the issues of all files:',
    fenced('sh', 'holdfast check'),
    '## Sources and their order',
    'Highest first. All matching hooks of all sources run; nothing that a lower source says can loosen or replace what a higher one said.',
    table(
      ['', 'source', 'what it is', 'file', 'its hooks run in', 'needs trust'],
      sources().map(([kind, source]) => [
        String(source.rank + 1),
        code(kind),
        source.doc,
        PLACES[kind].place,
        PLACES[kind].runsIn,
        source.needsTrust ? 'yes' : 'no',
      ]),
    ),
    "Claude settings are read when the host turns them on, plugins when the host names their folders. When the home folder itself is open, its `.cursor/hooks.json` counts as the person's own.",
    'A host can name sources as required. When one of them is missing or not whole, every event with `permission` is denied and says why.',
    ...manifestSection(),
    '## Trust',
    list([
      'Hooks that come with a repository do not run until somebody has trusted them.',
      'Trust is by content. It covers the definition of a hook, every file below the configuration folder (`.cursor/`, `.claude/`) and every file or folder of the workspace that its command names. When one of them changes, the hook stops running until it is trusted again. Formatting the file or moving an entry changes nothing.',
      'Hooks must write their logs outside the configuration folder: a new line in a log below it ends the trust.',
      'A command that may run files which it does not name (`npm run`, `python -m`, most shell syntax, scripts outside the configuration folder, programs outside the workspace) is marked "not fully covered", with the reason. A source with more than 2,000 files, 5,000 paths or 64 MiB cannot be trusted.',
      'Trust belongs to the folder: the same hook in another project, or in another clone, is asked about again. A clone has other files that a hook may run, and can claim any origin.',
      'A linked worktree of git has the trust of its main worktree, for hooks that have the same content and are fully covered. Both must name each other, as git sets them up.',
      'Files that a script reads or starts by itself are not part of it.',
    ]),
    'To look at the hooks of a project and trust them:',
    fenced('sh', 'holdfast list\nholdfast trust'),
  )

const keys = (fields: Readonly<Record<string, EntryField>>) =>
  table(
    ['key', 'type', 'when absent', 'meaning'],
    Object.entries(fields).map(([name, field]) => [
      code(name),
      typeInWords(asJsonSchema(field.schema)),
      field.default === undefined ? '–' : code(JSON.stringify(field.default)),
      field.doc,
    ]),
  )

const sources = () =>
  (Object.entries(SOURCES) as [SourceKind, (typeof SOURCES)[SourceKind]][]).sort(
    ([, a], [, b]) => a.rank - b.rank,
  )
