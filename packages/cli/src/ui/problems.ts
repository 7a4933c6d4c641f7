// Issues in the form that pages receive.

import type { Issue } from '@holdfast/hooks/protocol'
import type { Problem } from '@holdfast/web/panel'

export const toProblem = ({
  code,
  severity,
  file,
  line,
  column,
  path,
  message,
  hint,
}: Issue): ProblemShape => ({
  code,
  severity,
  file,
  line,
  column,
  path: path.replace(/^hooks\./, ''),
  message,
  hint,
})

export type ProblemShape = Omit<Problem, '$typeName' | '$unknown'>
