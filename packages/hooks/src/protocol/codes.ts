// All codes. Issues are problems of a configuration, failures of a run, errors of a call; notes are remarks on a run
// that succeeded.

export interface CodeRow {
  readonly kind: 'issue' | 'failure' | 'note' | 'error'
  readonly meaning: string
  readonly hint: string
}

const issue = (meaning: string, hint: string) => ({ kind: 'issue', meaning, hint }) as const
const failure = (meaning: string, hint: string) => ({ kind: 'failure', meaning, hint }) as const
const note = (meaning: string, hint: string) => ({ kind: 'note', meaning, hint }) as const
const error = (meaning: string, hint: string) => ({ kind: 'error', meaning, hint }) as const

export const CODES = {
  'config/unreadable': issue(
    'The file exists but cannot be read.',
    'Check its permissions, and that it is a file.',
  ),
  'config/too-large': issue(
    'The file is larger than 1 MiB, or has more than 2,000 hooks.',
    'Keep hooks.json small; put data into files that the scripts read.',
  ),
  'config/not-utf8': issue('The file is not UTF-8 text.', 'Save it as UTF-8.'),
  'config/syntax': issue('The file is not valid JSON.', 'Fix the syntax at the place given.'),
  'config/bom': issue(
    'The file starts with a byte order mark.',
    'Save it as UTF-8 without BOM; some versions reject it.',
  ),
  'config/trailing-comma': issue(
    'A comma precedes a closing bracket.',
    'Remove it; some versions reject it.',
  ),
  'config/duplicate-key': issue('A key appears twice in one object.', 'Join the two, or remove one.'),
  'config/not-object': issue(
    'The file does not hold a JSON object.',
    'Start with { "version": 1, "hooks": {} }.',
  ),
  'config/no-hooks': issue(
    'The file has no "hooks" object.',
    'Add "hooks": { "<event>": [ { "command": "…" } ] }.',
  ),
  'config/version': issue('The version is not known.', 'Write "version": 1.'),
  'config/unknown-key': issue('The key is not known and has no effect.', 'Correct the name, or remove it.'),
  'config/unknown-event': issue(
    'No event has this name, so its hooks never run.',
    'Use the name of an event from the reference.',
  ),
  'config/bad-event': issue(
    'An event must have an array of hooks.',
    'Write "<event>": [ { "command": "…" } ].',
  ),
  'config/bad-entry': issue(
    'The entry is not a hook and was left out.',
    'A hook is an object with "command", or with "type": "prompt" and "prompt".',
  ),
  'config/bad-field': issue(
    'A field has the wrong type or value; the entry was left out.',
    'Write the field as the reference describes it.',
  ),
  'config/bad-matcher': issue(
    'The matcher is not a valid regular expression.',
    'Correct the pattern. Until then the hook runs always on permission events and never on others.',
  ),
  'config/matcher-never': issue(
    'The matcher, or a part of it, cannot match what the event is matched against.',
    'Write a name that the event has, or remove the matcher.',
  ),
  'config/no-effect': issue(
    'The field has no effect on this event.',
    'Remove it, or move the hook to an event that uses it.',
  ),
  'config/timeout-milliseconds': issue(
    'The timeout looks like milliseconds; the unit is seconds.',
    'Divide it by 1000.',
  ),
  'config/claude-shaped': issue(
    'The file is written in the shape of Claude settings.',
    'Write flat entries: "preToolUse": [ { "matcher": "…", "command": "…" } ].',
  ),
  'config/wrong-folder': issue(
    'A hooks.json is in a folder that no agent reads.',
    'Move it to .cursor/hooks.json.',
  ),
  'config/path-base': issue(
    'The script is found only from the folder of hooks.json.',
    'Project hooks run from the project root: write .cursor/hooks/….',
  ),
  'config/script-missing': issue('The script does not exist.', 'Create it, or correct the path.'),
  'config/stale-bundle': issue(
    'The bundle of a TypeScript hook is not what its source gives.',
    'The old code runs. Run: holdfast build',
  ),
  'config/script-not-executable': issue(
    'The script has no execute bit.',
    'Run chmod +x on it, or call it through its interpreter.',
  ),
  'config/empty-variable': issue(
    'The command uses a variable that is not set for hooks.',
    'Read the input as JSON from stdin, for example with jq.',
  ),
  'config/personal-path': issue(
    'The command names a folder of one user.',
    'Use a path relative to the project, so that it works for everyone.',
  ),
  'config/camel-case-answer': issue(
    'The script responds in camelCase.',
    'Write user_message and agent_message; versions since 2.0 ignore the camelCase names.',
  ),
  'config/kept-last-good': issue(
    'The file became unreadable while running; its last valid hooks stay active.',
    'Fix the file.',
  ),
  'config/required-missing': issue(
    'A required source could not be loaded completely; permission events are denied.',
    'Restore the file named here.',
  ),
  'config/manifest': issue(
    'The manifest of the managed folder is not valid.',
    'Synchronise the team hooks again.',
  ),
  'config/manifest-unverified': issue(
    'The managed folder of a team is not what the team signed, so its hooks do not run.',
    'Restore it: holdfast team sync. If that fails, join the team again: holdfast login.',
  ),
  'config/script-changed': issue(
    'A managed script differs from its manifest and was left out.',
    'Synchronise the team hooks again.',
  ),
  'config/bad-plugin': issue(
    'The plugin names hooks that it may not or cannot have.',
    'Keep the paths of the manifest inside the plugin.',
  ),
  'config/claude-event': issue(
    'This Claude event has no counterpart and is skipped.',
    'Use an event that is supported, or remove the entry.',
  ),
  'trust/not-coverable': issue(
    'The files of the source cannot all be hashed, so its hooks cannot be trusted.',
    'Keep at most 2,000 files, 5,000 paths and 64 MiB in the configuration folder and in the files and folders that commands name.',
  ),
  'trust/untrusted': issue(
    'The hooks of this project have not been trusted, so they do not run.',
    'Review and allow with: holdfast trust',
  ),

  'run/not-found': failure(
    'The command was not found.',
    'Check the path; project hooks run from the project root.',
  ),
  'run/not-executable': failure(
    'The command could not be executed.',
    'Run chmod +x on the script, or call it through its interpreter.',
  ),
  'run/bad-folder': failure('The working folder of the hook does not exist.', 'Restore the folder.'),
  'run/spawn': failure('The process could not be started.', 'See the system error in the message.'),
  'run/exit': failure(
    'The hook ended with an exit code that is neither 0 nor 2.',
    'Run the script by hand and read its stderr.',
  ),
  'run/signal': failure(
    'The hook was ended by a signal.',
    'Look for a crash or for something that ends processes.',
  ),
  'run/timeout': failure(
    'The hook did not finish within its time limit.',
    'Make it faster, or raise "timeout" (seconds).',
  ),
  'run/overflow': failure('The hook printed more than the limit.', 'Print one JSON object and nothing else.'),
  'run/no-answer': failure(
    'The hook printed nothing, and failClosed requires a response.',
    'Print {} to abstain.',
  ),
  'run/invalid-json': failure(
    'stdout does not end with a JSON object.',
    'Print exactly one JSON object as the last thing on stdout; log to stderr.',
  ),
  'run/bad-shape': failure(
    'A field of the response has the wrong type or value.',
    'Write the field as the reference describes it.',
  ),
  'run/threw': failure('The function hook threw.', 'Catch the error inside the hook.'),
  'run/no-evaluator': failure(
    'The host cannot evaluate prompt hooks.',
    'Give the host an evaluatePrompt, for example from @holdfast/hosts/ai-sdk.',
  ),
  'run/http': failure(
    'The request of an http hook failed, or the server responded with an error.',
    'See the message; check the address, the headers and their variables.',
  ),
  'run/not-allowed': failure(
    'The server of an http hook is not in allowed_http_hosts. Permission events are denied.',
    'Add the server to the list, or remove the hook. If a file cannot be read, correct it.',
  ),
  'run/model': failure(
    'The model could not be asked, or its reply is not valid.',
    'See the message; check model, address and key.',
  ),

  'note/text-before': note(
    'There was text before the response.',
    'Log to stderr; some versions reject such a response.',
  ),
  'note/stderr-cut': note(
    'The hook printed more on stderr than is kept.',
    'Only the first 64 KiB are stored and shown; nothing else changes.',
  ),
  'note/camel-case': note(
    'The response uses camelCase names.',
    'Write the snake_case names; versions since 2.0 ignore the others.',
  ),
  'note/decision': note('The response uses decision or reason.', 'Write permission and user_message.'),
  'note/nested': note(
    'The response is nested in hookSpecificOutput.',
    'Write the flat fields if the hook is meant for hooks.json.',
  ),
  'note/earlier-deny': note(
    'An earlier JSON object on stdout denied; the deny holds.',
    'Print exactly one JSON object.',
  ),
  'note/deny-despite-failure': note(
    'The run failed, but its deny is well-formed and holds.',
    'Exit 0 after printing the response.',
  ),
  'note/ask-denied': note('This event cannot ask; ask counts as deny.', 'Respond with allow or deny.'),
  'note/no-effect': note(
    'The response has a field or value that this event or version ignores.',
    'See the reference for what the event accepts.',
  ),
  'note/unknown-field': note(
    'The response has a field that is not known; it is ignored.',
    'Remove it, or write the name of a field from the reference.',
  ),
  'note/overruled': note(
    'The response of a hook does not count in this version, because of another hook of the event.',
    'Let one script respond to the event, or use a version that takes all of them into account.',
  ),
  'note/loop-limit': note(
    'The follow-up was ignored because the loop limit was reached.',
    'Raise loop_limit, or set it to null.',
  ),
  'note/followup-status': note(
    'The follow-up was ignored: the status is not completed.',
    'Follow-ups continue completed work only.',
  ),
  'note/env-refused': note(
    'A session variable was rejected.',
    'Names are letters, digits and _; the fixed names cannot be set.',
  ),

  'use/unknown-event': error('No event has this name.', 'Use the name of an event from the reference.'),
  'use/bad-payload': error(
    'A field of the event is missing or has the wrong type.',
    'Give the field as the reference describes it.',
  ),
  'use/bad-option': error('An option of the call is wrong.', 'See the message.'),
  'use/unknown-profile': error(
    'No profile has this name.',
    'Use holdfast, cursor-1.7, cursor-2.1, cursor-2.3, cursor-2.4 or cursor-3.',
  ),
  'use/aborted': error('The host cancelled the event.', 'Nothing is left running.'),
  'use/closed': error('The engine was closed.', 'Open a new one.'),
  'use/blocked': error('A hook blocked the action.', 'The messages contain the reason.'),
} as const satisfies Record<string, CodeRow>

export type Code = keyof typeof CODES
type CodeOf<K extends CodeRow['kind']> = {
  [C in Code]: (typeof CODES)[C]['kind'] extends K ? C : never
}[Code]
export type IssueCode = CodeOf<'issue'>
export type FailureCode = CodeOf<'failure'>
export type NoteCode = CodeOf<'note'>
export type ErrorCode = CodeOf<'error'>

/** `[run/exit] The hook ended …` with the details of this case. */
export const withCode = (code: Code, text: string): string => `[${code}] ${text}`
