// The page of all codes, by kind.

import { CODES, type CodeRow } from '../../packages/hooks/src/protocol/codes.js'
import { code, page, table } from './markdown.js'

const KINDS: Readonly<Record<CodeRow['kind'], { title: string; text: string }>> = {
  issue: {
    title: 'Issues of a configuration',
    text: 'Found when files are read. Each has a severity, a file, a line, a column and a path. They are listed, never thrown.',
  },
  failure: {
    title: 'Failures of a run',
    text: 'Reasons why a hook has no valid response. [Failures](failures.md) gives the effect on the action.',
  },
  note: { title: 'Notes on a run', text: 'Remarks on a run whose response counts.' },
  error: {
    title: 'Errors of a call',
    text: 'Thrown as `HooksError` with this `code`; a block is thrown as `HookBlockedError`.',
  },
}

export const codesPage = (): string =>
  page(
    '# Codes',
    'A message looks like this: `[run/timeout] It did not finish within 60 seconds.` The code identifies the kind of problem and does not change; the text may.',
    ...(Object.keys(KINDS) as CodeRow['kind'][]).flatMap(kind => [
      `## ${KINDS[kind].title}`,
      KINDS[kind].text,
      table(
        ['code', 'meaning', 'what to do'],
        Object.entries(CODES as Record<string, CodeRow>)
          .filter(([, row]) => row.kind === kind)
          .map(([name, row]) => [code(name), row.meaning, row.hint]),
      ),
    ]),
  )
