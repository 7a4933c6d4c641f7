// The page of the file format: its keys, its places, their order, and trust.

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
    'One JSON object. Under `hooks`, each event holds an array of hooks. They run at the same time, and their responses are combined in the order of the file.',
    json(example),
    list([
      '`version` is optional (default: 1). Another positive integer is read as 1, with a warning; any other value makes the file invalid.',
      '`$schema` gives editors completion and checks. The same file is in the package: `@holdfast/hooks/schema/hooks.schema.json`; `holdfast schema --install` puts a copy beside hooks.json, which works without a network.',
      'Comments are allowed. A byte order mark and trailing commas are accepted with a warning.',
      'A duplicate event or `hooks` object is not lost: the hooks of both run, with a warning.',
      'The file may have up to 1 MiB, 50,000 tokens and 2,000 hooks, and must be UTF-8.',
    ]),
    '## Further keys of the file',
    keys(FILE_FIELDS),
    'See [protected hook files](../guide/agents.md#hook-files-are-protected).',
    '## The keys of a hook',
    keys(ENTRY_FIELDS),
    'A hook has a `command`, or `"type": "prompt"` and a `prompt`. Without `failClosed`, the event decides: see [failures](failures.md). Hooks from Claude settings have no loop limit unless they set one.',
    'A prompt hook asks a model and needs a host that has one:',
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
      'A matcher is a JavaScript regular expression. It is case-sensitive and not anchored: `git push` means "contains git push".',
      'Absent, `""` and `"*"` match all.',
      'The field that it is matched against depends on the event: see [events](events.md).',
      'A pattern that cannot be compiled, or that takes too long, counts as a match on events with `permission`, and as no match on others.',
    ]),
    '## Errors in the file',
    'An invalid entry is left out, with an issue that gives file, line, column and the fix; the other entries load. Unknown events and keys are warnings that suggest the nearest known name. If a file becomes invalid while the engine runs, its last valid hooks stay active, with an issue. A deleted file has no hooks. Every issue has a [code](codes.md).',
    'List the issues of all files:',
    fenced('sh', 'holdfast check'),
    '## Sources and their order',
    'Highest first. All matching hooks of all sources run; no response of a lower source can loosen or replace that of a higher one.',
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
    "Claude settings are read when the host turns them on, plugins when the host names their folders. When the home folder itself is open, its `.cursor/hooks.json` counts as the user's own.",
    'A host can name sources as required. If one of them is missing or incomplete, every event with `permission` is denied with the reason.',
    ...manifestSection(),
    '## Trust',
    list([
      'Hooks of a repository do not run until a user trusts them.',
      'Trust is by content. It covers the definition of a hook, every file below the configuration folder (`.cursor/`, `.claude/`) and every file or folder of the workspace that its command names. When one of them changes, the hook stops running until it is trusted again. Formatting the file or moving an entry changes nothing.',
      'Hooks must write their logs outside the configuration folder: a new line in a log below it revokes the trust.',
      'A command that may run files which it does not name (`npm run`, `python -m`, most shell syntax, scripts outside the configuration folder, programs outside the workspace) is marked "not fully covered", with the reason. A source with more than 2,000 files, 5,000 paths or 64 MiB cannot be trusted.',
      'Trust belongs to the folder: the same hook in another project, or in another clone, needs trust again. A clone has other files that a hook may run, and can claim any origin.',
      'A linked worktree of git has the trust of its main worktree, for hooks that have the same content and are fully covered. Both must refer to each other, as git sets them up.',
      'Trust does not cover files that a script itself reads or starts.',
    ]),
    'List the hooks of a project, and trust them:',
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
