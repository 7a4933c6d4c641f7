// @holdfast/guards/shell: decides whether a shell command destroys work, harms the machine or leaks secrets.

export type { Call, Word } from './call.js'
export { evaluateCommand, type ShellOptions, type ShellVerdict } from './evaluate.js'
export { DEFAULT_TOPICS, type Finding, TOPICS, type Topic } from './finding.js'
export { type Reading, readCommand } from './read-command.js'
