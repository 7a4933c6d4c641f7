// What is wrong, as pages are told.

import type { Issue } from '@holdfast/hooks/protocol'

export const toProblem = ({ code, severity, file, line, column, path, message, hint }: Issue) => ({
  code,
  severity,
  file,
  line,
  column,
  path: path.replace(/^hooks\./, ''),
  message,
  hint,
})

export type ProblemShape = ReturnType<typeof toProblem>
