// Denies commands that rewrite shared history, and suggests an alternative to the agent.

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const { command } = JSON.parse(Buffer.concat(chunks).toString('utf8'))

const answer = /^git push\b.*(--force|-f)\b/.test(command)
  ? {
      permission: 'deny',
      user_message: 'Force pushes are blocked in this repository.',
      agent_message: 'Push to a branch and open a pull request instead.',
    }
  : { permission: 'allow' }
process.stdout.write(JSON.stringify(answer))
