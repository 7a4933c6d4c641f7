// Words that the project does not use, each with what to write instead. CONTRIBUTING.md ("Language") gives the rules.
// A pattern matches words and phrases, without regard to case; a space in it also matches a line break.

const words = pattern => `(?<![\\w-])(?:${pattern.replaceAll(' ', '\\s+')})(?![\\w-])`

/** [pattern, replacement] as textlint-rule-terminology reads them; source files are matched against the same list. */
export const TERMS = [
  // Other names of the project's concepts.
  ['house', 'architecture'],
  [
    '(?<!(?:makes?|made|making|is|was|no|has|leaves?|have|more|enough) )rooms?(?! (?:for|left|on)\\b)',
    'stage, module or space',
  ],
  ['doors?', 'entry point'],
  ['doorm[ae]n', 'authenticator'],
  ['facts(?!\\.)', 'payload, input or data'],
  ['opinions?', 'decision'],
  ['voices?', 'decision of one run'],
  ['seals?|sealed', 'signed envelope'],
  ['trails?', 'audit log'],
  ['(?<=mode[: ]+)observes', 'audit mode'],
  ['watchm[ae]n', 'rollout monitor'],
  ['keepers?', 'maintenance job'],
  ['knock(?:s|ed|ing)?', 'authentication'],
  ['strangers?', 'unauthenticated caller'],
  ['crowds?|crowded', 'concurrency limit'],
  ['tongues?', 'wire format'],
  ['workshops?', 'lazy-loaded commands'],
  ['hand(?:s|ed|ing)? over', 'load or pass'],
  ['complain(?:s|ed|ts?)', 'UsageError, warning or report'],
  ['losses', 'limitations'],
  ['forgets?|forgot(?:ten)?', 'evict, remove or omit'],
  ['remembers?|remembered', 'store'],
  ['founded|to found', 'create or set up'],

  // Programs do not talk, hear or stand.
  ['said|(?<!exactly )told', 'report, reported or told apart by → distinguished by'],
  ['hears?|heard', 'receive'],
  ['feels?|felt', 'be affected by'],
  ['believes?|believed', 'accept or trust'],
  [
    '(?:programs?|servers?|agents?|hooks?|devices?|pages?|engines?|clients?|models?) (?:speaks?|spoke)',
    'use or support',
  ],
  ['stands?(?! (?:for|in)\\b)|stood', 'be, be written or remain'],
  ['lies (?:in|under|on|at|beside|below|behind|above|there)', 'be in'],

  // Old or unusual words.
  ['mend(?:s|ed|ing)?', 'fix'],
  ['anew', 'again'],
  ['held against', 'matched against'],
  ['in force', 'active'],
  ['the person', 'the user'],
  ['shall', 'should or must'],
  ['whoever|whomever', 'name the actor'],
  ['without a word', 'without a message'],
  ['(?:is|are|was|were|stays?|remains?) whole', 'complete or intact'],

  // Word-for-word translations.
  ['belongs? into', 'belong in'],
  ['been weighed|(?:hooks|calls?) (?:still )?(?:are )?weigh(?:ed)?', 'judge'],
  ['for ever', 'forever'],
  ['lets? in (?:many|all|new|every)', 'admit or enrol'],
  ['goes on by itself', 'continue automatically'],
  ['sessions? of agents', 'agent session'],
  ['questions? of hooks?', 'question from a hook'],
].map(([pattern, replacement]) => [words(pattern), replacement])

/** A clause that starts with a pronoun as a noun: "Who leaves early …". Questions are fine. */
export const HEADLESS_CLAUSE = /(?:^|[.!] )(?:Who|Whom) (?!to\b)[^.!?|]*(?=[.!|]|$)/

/** Names of the concepts above, as words of an identifier: doorman, askedFacts. */
export const NAMES = new Set(
  'house doorman opinion opinions voice watchman keeper knock stranger strangers crowd tongue mend anew'.split(
    ' ',
  ),
)

/** Output of other programs, data, and pages that quote the words. */
export const NEVER_CHECKED = [
  /^(?:CODE_OF_CONDUCT|CONTRIBUTING)\.md$/,
  /^conformance\/cases\//,
  /^tests\/fixtures\//,
  /^scripts\/prose\//,
  /\/gen\//,
  // Each entry is what a past version did.
  /^packages\/server\/src\/store\/migrations\.ts$/,
  /\.cjs$/,
  /^tests\/tooling\/prose\.test\.ts$/,
]
