// Keeps secrets and customer data out of prompts, and files outside of the workspace out of attachments.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { deny, hook, isInsideWorkspace, workspacePath } from '@holdfast/hooks/sdk'
import { search } from './find.js'
import { readPolicy } from './policy.js'

/** Beside this program, wherever it is installed. */
const FILE = join(__dirname, 'prompt-policy.json')
/** A longer list would not be read. */
const MOST = 8

export default hook({
  beforeSubmitPrompt: payload => {
    const policy = readPolicy(FILE)
    const reasons = search(payload.prompt, policy.patterns)
    for (const attachment of policy.attachments ? payload.attachments : []) {
      const { file_path: path } = attachment
      if (typeof path !== 'string' || path === '') reasons.push('an attachment whose path cannot be read')
      else if (!isInsideWorkspace(payload, path) && !isIn(policy.also, workspacePath(payload, path)))
        reasons.push(`the attachment ${path}, which is outside of this workspace`)
    }
    if (reasons.length === 0) return
    const more = reasons.length - MOST
    return deny(
      [
        'Not sent. Remove this and send it again:',
        ...reasons.slice(0, MOST).map(reason => `- ${reason}`),
        ...(more > 0 ? [`- and ${more} more`] : []),
      ].join('\n'),
    )
  },
})

/** Matches the absolute path of a file outside of the workspace. */
const isIn = (folders: readonly string[], path: string) =>
  isInsideWorkspace({ workspace_roots: folders.map(name => name.replace(/^~(?=\/|$)/, homedir())) }, path)
