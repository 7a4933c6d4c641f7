// What verbs of command-line clients do. Clients of services have one shape: program, nouns, a verb, names, options.

const EFFECTS: readonly (readonly [effect: string, verbs: RegExp])[] = [
  [
    'deletes something',
    /^(?:delete|del|destroy|remove|rm|rmi|rb|purge|drop|flush|wipe|erase|truncate|prune|clear|nuke|zap|empty|forget|unlink|yank|unpublish|gc|expire|cleanup|void|removeall|deleteall|flushall|flushdb|dropdatabase|uninstall|undeploy|deprovision|decommission|schedule-deletion|schedule-key-deletion|force-delete|prune-cache|invalidate|trash)$/,
  ],
  [
    'stops something that runs',
    /^(?:terminate|stop|kill|down|drain|evict|abort|cancel|shutdown|deactivate|disable|cordon|quarantine|seal|unseal)$/,
  ],
  [
    'takes access or a connection away',
    /^(?:revoke|unregister|deregister|detach|unassign|untag|unset|reject|rekey|rotate|roll|revoke-prefix|disassociate|unsubscribe|release-address|deauthorize|disconnect)$/,
  ],
  [
    'replaces the present state',
    /^(?:reset|rollback|downgrade|rewind|restore|replace|taint|force-unlock|refund|close|archive|deprecate)$/,
  ],
]

const ofVerb = (verb: string): string | undefined => EFFECTS.find(([, verbs]) => verbs.test(verb))?.[0]

/** The effect of a word: a verb, or one with a noun, as in `delete-bucket`, `batch_delete` and `apps:destroy`. */
export function effectOf(word: string): string | undefined {
  const text = word.toLowerCase().replace(/^batch[-_]/, '')
  const own = ofVerb(text)
  if (own !== undefined) return own
  const [, first = ''] = /^(force-delete|[a-z]+)[-_:]/.exec(text) ?? []
  const [, last = ''] = /:([a-z-]+)$/.exec(text) ?? []
  return ofVerb(first) ?? ofVerb(last)
}

/** Verbs that only show; a word after them is a name. */
export const isShowing = (word: string): boolean =>
  /^(?:get|list|ls|describe|show|status|info|view|read|search|top|explain|diff|plan|validate|version|help|inspect|ps|lint|template|fmt|check|stat|head|cat|test|verify|output|print|count|query|scan|tail|preview|whatis|whoami)(?:-[\w-]+)?$/i.test(
    word,
  )

/** Often reversible, so these ask when they come late among the words. */
export const isMild = (word: string): boolean =>
  /^(?:stop|down|close|clear|cancel|reset|disable|archive|restore|rotate|cordon|drain|replace|rollback|detach|gc|abort|kill|rm|remove|uninstall|deprecate|seal|invalidate|expire|yank)$/i.test(
    word,
  )

/** Options that make a command show what it would do. `--version 2` names a version. */
export const isDry = (texts: readonly string[]): boolean =>
  texts.some(
    (text, index) =>
      /^(?:--(?:dry-?run|dryrun|check|what-?if|noop|no-op|preview|plan|help|list)(?:=(?:true|client|server|all))?|-h|-help)$/i.test(
        text,
      ) ||
      (text === '--version' && /^(?:-.*)?$/.test(texts[index + 1] ?? '')),
  )
