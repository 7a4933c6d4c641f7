// What matchers are held against, for the events that share it.

import type { Subject } from './row.js'

export const toolSubject = {
  field: 'tool_name',
  doc: 'the tool name, such as `Shell` or `MCP:query`',
  examples: ['Shell', 'Read', 'Write', 'Delete', 'Grep', 'LS', 'Task', 'WebFetch', 'MCP:query'],
}
export const mcpSubject = {
  field: 'tool_name',
  doc: 'the name of the MCP tool',
  examples: ['query', 'execute_sql', 'search', 'read_file', 'write_file', 'create_issue', 'send_message'],
}
export const subagentSubject = {
  field: 'subagent_type',
  doc: 'the type of the subagent, such as `explore`',
  examples: ['explore', 'generalPurpose', 'shell'],
}
export const commandSubject = {
  field: 'command',
  doc: 'the full command text',
  examples: [
    'ls -la',
    'git status',
    'git commit -m "Fix"',
    'git push origin main',
    'git push --force origin main',
    'git reset --hard',
    'gh pr create',
    'npm test',
    'npm install left-pad',
    'rm -rf build',
    'sudo ls',
    'curl https://example.com',
    'wget https://example.com',
    'docker run alpine',
    'kubectl apply -f app.yaml',
    'terraform apply',
    'python3 app.py',
    'psql -c "drop table users"',
  ],
}
export const pathSubject = {
  field: 'file_path',
  doc: 'the file path',
  examples: [
    'src/a.ts',
    'src/a.js',
    'a.py',
    'a.go',
    'a.rs',
    'README.md',
    'package.json',
    'a.yaml',
    'a.sh',
    '.env',
  ],
}

/** A word of the event's own. */
export const word = (name: string): Subject => ({ word: name, doc: `the constant \`${name}\`` })
