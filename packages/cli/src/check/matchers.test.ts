import type { EventName } from '@holdfast/hooks/protocol'
import { describe, expect, test } from 'vitest'
import { definition } from '../../../../tests/fixtures/definition.js'
import { compileMatcher } from '../../../hooks/src/discover/matcher.js'
import { matcherProblem } from './matchers.js'

const problem = (event: EventName, matcher: string) =>
  matcherProblem(definition({ event, matcher: compileMatcher(matcher) }))

describe('a matcher that never matches', () => {
  test.each<[EventName, string, string]>([
    ['preToolUse', 'Bash', 'Write "Shell".'],
    ['preToolUse', '^Bash$', 'Write "^(?:Shell)$".'],
    ['preToolUse', 'Edit', 'Write "Write".'],
    ['postToolUse', 'Edit|MultiEdit', 'Write "Write".'],
    ['postToolUse', 'Bash|Write', 'Write "Shell|Write".'],
    ['preToolUse', 'shell', 'Write "Shell".'],
    ['preToolUse', '(Bash|Glob)', 'Write "Shell|Grep".'],
    ['preToolUse', 'run_terminal_cmd', 'Write "Shell".'],
    ['preToolUse', '^Deploy$', 'Built-in tools are Shell, Read'],
    ['subagentStart', 'Task', 'Write a type such as explore'],
    ['subagentStop', 'Bash|Task', 'Write a type such as explore'],
    ['beforeReadFile', '\\.env$', 'Remove the matcher, and check file_path'],
    ['afterFileEdit', 'Edit', 'Remove the matcher, and check file_path'],
    ['afterFileEdit', '\\.(ts|tsx)$', 'Remove the matcher, and check file_path'],
    ['stop', 'completed', 'Remove the matcher.'],
    ['beforeSubmitPrompt', 'password', 'Remove the matcher.'],
    ['preCompact', 'always', 'Write one of'],
    ['sessionEnd', 'finished', 'Write one of'],
    ['sessionStart', 'startup|resume', 'Write one of'],
    ['beforeMCPExecution', 'MCP:query', 'Remove the prefix.'],
    ['beforeMCPExecution', 'mcp__github__create', 'Remove the prefix.'],
    ['beforeShellExecution', '[]', 'Correct the pattern'],
    ['beforeShellExecution', 'rm (?!)x', 'Correct the pattern'],
  ])('%s %s', (event, matcher, hint) => {
    expect(problem(event, matcher)?.hint).toContain(hint)
  })
})

describe('a matcher that can match', () => {
  test.each<[EventName, string]>([
    ['preToolUse', 'Shell'],
    ['preToolUse', '^Shell$'],
    ['preToolUse', '.*'],
    ['preToolUse', ''],
    ['preToolUse', 'Write|StrReplace'],
    ['preToolUse', 'StrReplace'],
    ['preToolUse', 'ApplyPatch|Edit|Write'],
    ['preToolUse', 'Shell|Bash'],
    ['preToolUse', 'MCP:.*'],
    ['preToolUse', '^MCP'],
    ['preToolUse', '^(MCP:query|Shell)$'],
    ['preToolUse', 'query|deploy'],
    ['preToolUse', 'create_issue'],
    ['preToolUse', '(?i:bash)'],
    ['preToolUse', '[Bb]ash|Shell'],
    ['preToolUse', 'mcp__.*'],
    ['preToolUse', '^(?!Read$)'],
    ['preToolUse', '^W'],
    ['postToolUse', 'WebSearch'],
    ['subagentStart', 'explore'],
    ['subagentStart', 'sdd-.*'],
    ['subagentStart', 'reviewer|Task'],
    ['subagentStart', 'shell'],
    ['beforeReadFile', 'Read|TabRead'],
    ['beforeReadFile', 'Tab'],
    ['afterFileEdit', 'Write|Edit'],
    ['stop', 'Stop'],
    ['stop', '.*'],
    ['sessionStart', 'agent'],
    ['sessionStart', 'plan'],
    ['sessionStart', 'startup|agent'],
    ['workspaceOpen', 'anything'],
    ['beforeShellExecution', 'Bash'],
    ['beforeShellExecution', '^Task$'],
    ['beforeShellExecution', 'a[]|b'],
    ['beforeShellExecution', 'a[]?'],
    ['beforeShellExecution', '\\[]'],
    ['beforeShellExecution', '[[]]'],
    ['beforeMCPExecution', 'MCP:query|query'],
    ['beforeTabFileRead', '\\.env$'],
    ['preToolUse', '(('],
    ['preToolUse', '((((.*)*)*)*)*z'],
  ])('%s %s', (event, matcher) => {
    expect(problem(event, matcher)).toBeUndefined()
  })
})
