// The pages of the documentation that the palette finds. A test compares them with the files.

const SITE = 'https://github.com/holdfast-hooks/holdfast/blob/main/docs/'

export const DOCS: readonly (readonly [file: string, title: string])[] = [
  ['guide/first-hook.md', 'Write a first hook'],
  ['guide/guards.md', 'Ready-made guards'],
  ['guide/test.md', 'Test hooks'],
  ['guide/debug.md', 'Find out why a hook denied'],
  ['guide/ui.md', 'The Hooks panel'],
  ['guide/dashboard.md', 'The team dashboard'],
  ['guide/team.md', 'Run a team server'],
  ['guide/team-production.md', 'Run a team server in production'],
  ['guide/team-keys.md', 'Signing keys of a team'],
  ['guide/team-threats.md', 'What a team server protects against'],
  ['guide/agents.md', 'Connect agents'],
  ['guide/mcp.md', 'Guard MCP servers'],
  ['guide/embed.md', 'Embed the engine'],
  ['guide/python.md', 'Hooks in Python'],
  ['guide/typescript.md', 'Hooks in TypeScript'],
  ['guide/migrate.md', 'Move to another version or agent'],
  ['guide/versions.md', 'Differences between versions'],
  ['guide/troubleshooting.md', 'Troubleshooting'],
  ['guide/faq.md', 'Frequent questions'],
  ['reference/events.md', 'Events'],
  ['reference/hooks-json.md', 'hooks.json'],
  ['reference/cli.md', 'Commands of holdfast'],
  ['reference/codes.md', 'Codes of problems'],
  ['reference/merging.md', 'How responses are merged'],
  ['reference/failures.md', 'What happens when a hook fails'],
  ['reference/environment.md', 'Environment variables'],
  ['concepts/glossary.md', 'Glossary'],
]

export const docsAddress = (file: string): string => `${SITE}${file}`
