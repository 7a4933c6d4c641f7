// The tests behind docs/guide/team-threats.md, for each of its paragraphs, points and rows, in their order.

export interface Claim {
  /** How it starts, without Markdown. */
  readonly starts: string
  /** How many sentences it has; in a row, how many cells. A new one needs a test, too. */
  readonly sentences: number
  /** `path: part of a title`, from the root of the repository. */
  readonly tests: readonly string[]
  /** In place of tests: it claims nothing, or says what does not hold. */
  readonly note?: 'introduction' | 'advice' | 'limit'
}

const T = 'tests/team/'
const D = 'packages/team/src/device/'
const S = 'packages/team/src/signing/'

export const CLAIMS: readonly Claim[] = [
  { starts: 'What each attacker', sentences: 3, tests: [], note: 'introduction' },
  {
    starts: 'In short: a device trusts',
    sentences: 4,
    tests: [
      `${S}laws.test.ts: nothing is thrown and nothing is trusted`,
      `${S}accept.test.ts: is refused when a single byte of it differs`,
      `${T}expiry.test.ts: on the machine: token, lease and release, with what to do`,
    ],
  },
  {
    starts: 'an attacker on the network',
    sentences: 3,
    tests: [
      `${S}accept.test.ts: is refused when a single byte of it differs`,
      `${D}sync.test.ts: an older release`,
      `${D}sync.test.ts: an empty answer is refused: hooks stay`,
    ],
  },
  {
    starts: 'a stolen laptop, unlocked',
    sentences: 3,
    tests: [
      `${T}people-roles.test.ts: $method`,
      `${T}audit-rules.test.ts: is acknowledged for its own file of its own device`,
      `${T}token-validity.test.ts: is read again after a minute, if the change was lost`,
    ],
  },
  {
    starts: "the laptop's own user",
    sentences: 3,
    tests: [
      `${D}tampering.test.ts: %s is a missing source`,
      `${T}required.test.ts: denied in this process: %s`,
    ],
  },
  {
    starts: 'a program or prompt',
    sentences: 3,
    tests: [`${D}tampering.test.ts: while an engine runs ends its hooks before the next event`],
  },
  {
    starts: 'a rogue device',
    sentences: 3,
    tests: [
      `${T}rollout-monitor.test.ts: one device that lies halts nothing`,
      `${T}rollout-monitor.test.ts: halts what fails`,
      `${T}device-turns.test.ts: sends batches no more often than anybody has reason to`,
    ],
  },
  {
    starts: 'a stolen enrolment key',
    sentences: 3,
    tests: [
      `${T}people-devices.test.ts: a key lets in as many as it says`,
      `${T}people-devices.test.ts: a key is over after its hours, and after seven days at most`,
      `${T}enrolment-rules.test.ts: ends with the member who made it`,
      `${D}enrol.test.ts: another team than the key was made for is refused`,
      `${T}enrolment-rules.test.ts: by another proof never takes over a device`,
    ],
  },
  {
    starts: 'somebody who phishes',
    sentences: 3,
    tests: [`${T}people-device-code.test.ts: asks, shows, is approved, redeems and enrols`],
  },
  {
    starts: 'a malicious author',
    sentences: 3,
    tests: [
      `${T}people-roles.test.ts: $method`,
      `${T}hostile-author.test.ts: do no harm if an earlier version stored them with a path`,
      `${T}replay-sandbox.test.ts: shows no other file of the server`,
    ],
  },
  {
    starts: 'a curious auditor',
    sentences: 3,
    tests: [
      `${T}people-roles.test.ts: $method`,
      `${T}attackers.test.ts: a curious auditor sees no token, key or link of others, and no refused call`,
      `${T}attackers.test.ts: queues an auditor who sends too many concurrent requests`,
    ],
  },
  {
    starts: 'a malicious admin',
    sentences: 3,
    tests: [
      `${T}four-eyes.test.ts: covers every method of the service that changes what devices run`,
      `${T}keys.test.ts: cannot bring the release key, or any other key, to the server`,
      `${T}membership-rules.test.ts: is changed only by somebody of at least both roles`,
      `${T}audit-chain.test.ts: a rewritten history contradicts every device that saw the old one`,
    ],
  },
  {
    starts: 'a stolen token or session of an owner',
    sentences: 3,
    tests: [
      `${T}keys.test.ts: cannot bring the release key, or any other key, to the server`,
      `${T}four-eyes.test.ts: counts a token as the member who created it`,
    ],
  },
  {
    starts: 'a compromised server without the release key',
    sentences: 3,
    tests: [
      `${S}accept.test.ts: a lease may go back only where the active release allows it`,
      `${T}kill-required.test.ts: takes no hooks away where the root metadata does not allow it`,
      `${T}keys.test.ts: publishes nothing that devices take, and signs nothing`,
    ],
  },
  {
    starts: 'a compromised server that has the release key',
    sentences: 3,
    tests: [`${T}keys.test.ts: a device follows new keys by itself`],
  },
  {
    starts: 'a reader of the database',
    sentences: 3,
    tests: [`${T}fresh-secrets.test.ts: under one secret share neither ids, nor keys`],
  },
  {
    starts: 'a writer of the database',
    sentences: 3,
    tests: [
      `${T}signing-rules.test.ts: signs no release that was changed in the database`,
      `${T}audit-chain.test.ts: a rewritten history contradicts every device that saw the old one`,
    ],
  },
  {
    starts: 'Its token is in a file',
    sentences: 3,
    tests: [`${D}sync.test.ts: with modes for the user only`, `${T}people-roles.test.ts: $method`],
  },
  {
    starts: 'Revoke the device',
    sentences: 5,
    tests: [
      `${T}people-devices.test.ts: a key is revoked, with the devices that it let in or without`,
      `${T}revoked-polls.test.ts: a revoked device gets nothing more`,
      `${T}revoked-polls.test.ts: nor one that was revoked without a notification`,
      `${T}token-validity.test.ts: is read again when tokens change`,
      'packages/hooks/src/record/redact-alternatives.test.ts: is masked behind a flag of a list',
    ],
  },
  {
    starts: 'Tokens expire after 90 days',
    sentences: 3,
    tests: [
      `${T}people-devices.test.ts: a token ends after ninety days`,
      `${T}token-validity.test.ts: ends the tokens before it at its first use, and no other`,
      `${T}token-validity.test.ts: does not end the one in use before it is itself used`,
    ],
  },
  {
    starts: 'A thief with an enrolment key',
    sentences: 1,
    tests: [
      `${T}attackers.test.ts: a thief of a device and of its key does not bring it back by leaving first`,
    ],
  },
  {
    starts: 'A copied disk',
    sentences: 3,
    tests: [
      `${T}copied-home.test.ts: the copy joins with an id of its own`,
      `${T}enrolment-rules.test.ts: by another proof never takes over a device, but marks it`,
    ],
  },
  {
    starts: 'The managed folder belongs',
    sentences: 2,
    tests: [
      `${D}tampering.test.ts: nothing was changed is verified`,
      `${D}tampering.test.ts: while an engine runs ends its hooks before the next event`,
    ],
  },
  {
    starts: 'The folder of a release',
    sentences: 2,
    tests: [`${D}tampering.test.ts: %s is a missing source`],
  },
  {
    starts: 'A folder that does not verify',
    sentences: 3,
    tests: [
      `${D}tampering.test.ts: %s is a missing source`,
      `${D}tampering.test.ts: is recorded once for each load`,
      `${D}tampering.test.ts: is gone after the next sync, also without a network`,
    ],
  },
  {
    starts: 'If a device belongs to several teams',
    sentences: 2,
    tests: [`${D}tampering.test.ts: each is required, also when its folder is removed completely`],
  },
  {
    starts: 'Scripts must not write',
    sentences: 3,
    tests: [`${D}tampering.test.ts: is not written by Python, which imports another script of the release`],
  },
  { starts: 'Not covered: files outside', sentences: 3, tests: [], note: 'limit' },
  {
    starts: 'The server authenticates a call before',
    sentences: 7,
    tests: [
      `${T}hostile-calls.test.ts: without authentication is not even read`,
      `${T}hostile-calls.test.ts: compressed is refused without being expanded`,
      `${T}hostile-calls.test.ts: a million numbers in a row are a million`,
      `${T}waiting-polls.test.ts: of one device 16 polls wait, the newest ones`,
      `${T}waiting-polls.test.ts: devices that do not read their responses do not delay the others`,
      `${T}attackers.test.ts: queues an auditor who sends too many concurrent requests`,
    ],
  },
  {
    starts: 'A device may send 512 MiB',
    sentences: 4,
    tests: [
      `${T}access-limits.test.ts: lets a device send 512 MiB in a day, over all servers and across restarts`,
      `${T}access-limits.test.ts: counts empty batches, and asks the database only once for each MiB`,
      `${T}bad-night.test.ts: stops records only, and says so`,
    ],
  },
  {
    starts: 'An author writes drafts',
    sentences: 2,
    tests: [`${T}hostile-author.test.ts: do no harm if an earlier version stored them with a path`],
  },
  {
    starts: 'A draft runs in a sandbox',
    sentences: 4,
    tests: [
      `${T}replay-sandbox.test.ts: gives it no namespace in which it would be root`,
      `${T}replay-sandbox.test.ts: hides the folders of the server below those that are shown`,
      `${T}replay.test.ts: sees no network, no other process, and none of the folders of the server`,
    ],
  },
  {
    starts: 'memory of a process',
    sentences: 2,
    tests: [`${T}replay-sandbox.test.ts: bounds the memory of a process`],
  },
  {
    starts: 'processes and threads',
    sentences: 2,
    tests: [`${T}replay-sandbox.test.ts: bounds the number of processes`],
  },
  {
    starts: 'files',
    sentences: 2,
    tests: [`${T}replay-sandbox.test.ts: bounds everything that can be written`],
  },
  {
    starts: 'time of a response',
    sentences: 2,
    tests: [
      `${T}replay-sandbox.test.ts: gives it namespaces, limits and an environment of its own, and ten seconds`,
    ],
  },
  {
    starts: 'draft that does not respond',
    sentences: 2,
    tests: [`${T}replay-sandbox.test.ts: ends with all that the draft has started`],
  },
  {
    starts: 'On a server that runs as root',
    sentences: 4,
    tests: [
      `${T}replay-sandbox.test.ts: bounds the number of processes`,
      `${T}replay-sandbox.test.ts: runs where the temporary folder is for the server only`,
    ],
  },
  {
    starts: 'Without a sandbox',
    sentences: 4,
    tests: [
      `${T}hostile-author.test.ts: runs drafts for nobody, admins and owners included`,
      `${T}hostile-author.test.ts: says so when it starts`,
      `${T}hostile-author.test.ts: publishes only what a second person approved, on the record`,
    ],
  },
  {
    starts: 'A draft can be published only if its script ran',
    sentences: 1,
    tests: [`${T}hostile-author.test.ts: is run once without its matcher if no sample is given`],
  },
  {
    starts: 'Publishing needs an admin',
    sentences: 4,
    tests: [
      `${T}people-roles.test.ts: $method`,
      `${T}four-eyes.test.ts: needs a second person to publish what one wrote`,
      `${T}rollout-monitor.test.ts: halts what fails`,
    ],
  },
  {
    starts: 'With four-eyes on, a change',
    sentences: 5,
    tests: [
      `${T}four-eyes.test.ts: covers every method of the service that changes what devices run`,
      `${T}four-eyes.test.ts: cannot be switched off, or weakened, by one admin`,
      `${T}four-eyes.test.ts: takes no confirmation after a day`,
      `${T}four-eyes.test.ts: lets one person halt, and needs a second one to resume`,
      `${T}four-eyes.test.ts: needs a second person to halt a release that every device has`,
      `${T}attackers.test.ts: an author sends no fleet back to an older release by halting the newest ones`,
    ],
  },
  {
    starts: 'The two must be independent',
    sentences: 2,
    tests: [
      `${T}four-eyes.test.ts: does not take an account that the first person invited a moment ago`,
      `${T}four-eyes.test.ts: does not take an account whose inviter was invited by the first and removed since`,
      `${T}four-eyes.test.ts: does not accept an account that joined after the request, by any invitation`,
    ],
  },
  {
    starts: 'Nobody prepares a second account',
    sentences: 5,
    tests: [
      `${T}four-eyes.test.ts: needs a second person for every member who could be one`,
      `${T}four-eyes.test.ts: lets an invitation from before it was switched on admit an auditor only`,
    ],
  },
  {
    starts: 'Everyone who saved a draft',
    sentences: 1,
    tests: [`${T}four-eyes.test.ts: counts everyone who saved a draft as its author`],
  },
  {
    starts: 'An admin can refuse',
    sentences: 2,
    tests: [
      `${T}four-eyes.test.ts: shows a request with all that a second admin needs to confirm or refuse it`,
    ],
  },
  {
    starts: 'The clock of the server applies',
    sentences: 2,
    tests: [
      `${T}four-eyes.test.ts: takes no confirmation after a day`,
      `${T}four-eyes.test.ts: counts a token as the member who created it`,
      `${T}four-eyes.test.ts: needs a second person to roll back, to pin and to end a pin`,
    ],
  },
  {
    starts: 'One admin who is signed in can switch',
    sentences: 2,
    tests: [`${T}four-eyes.test.ts: lets one person kill in an emergency, which every admin sees`],
  },
  {
    starts: 'Moving a device into',
    sentences: 1,
    tests: [
      `${T}four-eyes.test.ts: needs a second person to move a device into or out of a group that is pinned`,
    ],
  },
  {
    starts: 'One admin can keep records longer',
    sentences: 6,
    tests: [
      `${T}audit-retention.test.ts: takes a second admin and seven days of notice`,
      `${T}audit-retention.test.ts: is withdrawn by any number that one admin may set`,
      `${T}audit-retention.test.ts: is not confirmed by an account that the first admin prepared`,
      `${T}audit-retention.test.ts: deletes nothing under a legal hold, which two admins have to lift`,
    ],
  },
  {
    starts: 'Removing a member ends',
    sentences: 3,
    tests: [
      `${T}membership-rules.test.ts: who is removed takes along open invitations, tokens and keys`,
      `${T}people-oidc.test.ts: an allowed domain does not let a removed member in again`,
      `${T}people-oidc.test.ts: an invitation from before the removal does not count, a new one does`,
    ],
  },
  {
    starts: '--sign-in oidc disables',
    sentences: 3,
    tests: [
      `${T}people-oidc.test.ts: without passwords, people sign in by the issuer only, the first owner included`,
      `${T}people-oidc.test.ts: a session by the issuer ends after a day`,
      `${T}people-sign-in.test.ts: a session ends a week after its start`,
    ],
  },
  {
    starts: 'With passwords, owners and admins need',
    sentences: 7,
    tests: [
      `${T}second-factor.test.ts: leads the first owner to the set-up before anything else`,
      `${T}second-factor.test.ts: counts from a promotion on, and not for authors`,
      `${T}second-factor.test.ts: is required unless only this machine reaches the server`,
      `${T}second-factor.test.ts: is neither set up nor switched off by a session alone`,
      'tests/web/passkey.test.ts: is the second factor of the first owner, and signs in without the password',
    ],
  },
  {
    starts: 'An owner or admin who lost everything',
    sentences: 2,
    tests: [`${T}membership-rules.test.ts: is used once, and an owner link ends all others`],
  },
  {
    starts: 'The issuer must have',
    sentences: 2,
    tests: [`${T}people-oidc.test.ts: an issuer that is no URL is rejected at the start`],
  },
  {
    starts: 'Microsoft Entra',
    sentences: 2,
    tests: [`${T}people-oidc.test.ts: Entra vouches for the addresses of its tenant`],
  },
  {
    starts: 'Google',
    sentences: 2,
    tests: [`${T}people-oidc.test.ts: Google counts for a domain only with the directory of that domain`],
  },
  {
    starts: 'Okta, Keycloak',
    sentences: 2,
    tests: [`${T}people-oidc.test.ts: %s has to verify the address`],
  },
  {
    starts: 'If the release key is elsewhere',
    sentences: 4,
    tests: [
      `${T}keys.test.ts: a release whose key is elsewhere waits for it, and takes no other`,
      `${S}accept.test.ts: a lease may go back only where the active release allows it`,
      `${T}kill-required.test.ts: leaves a required team missing, unless the root metadata says otherwise`,
    ],
  },
  {
    starts: 'The server stores no root key',
    sentences: 3,
    tests: [
      `${T}fresh-secrets.test.ts: store no root key`,
      `${T}keys.test.ts: with one stolen root key of two that are needed, changes nothing`,
      `${T}signing-rules.test.ts: lets the new key sign what the old one signed, and keeps the old signature`,
    ],
  },
  {
    starts: 'If the release key is on the server',
    sentences: 3,
    tests: [
      `${T}keys.test.ts: a new epoch begins the numbers again`,
      `${T}keys.test.ts: a team whose root keys are elsewhere lets no device in before they signed`,
    ],
  },
  {
    starts: 'In both cases the intruder',
    sentences: 4,
    tests: [`${T}people-login.test.ts: refuses a team whose fingerprint is not the one that the page showed`],
  },
  { starts: 'passwords', sentences: 2, tests: [`${T}fresh-secrets.test.ts: salts passwords`] },
  {
    starts: 'sessions, device codes',
    sentences: 2,
    tests: [
      `${T}fresh-secrets.test.ts: makes a new session at every sign-in`,
      `${T}fresh-secrets.test.ts: makes new device codes`,
    ],
  },
  {
    starts: 'tokens, invitations',
    sentences: 2,
    tests: [`${T}people-access.test.ts: is 256 bits of chance, and only its hash is kept`],
  },
  { starts: 'root keys', sentences: 2, tests: [`${T}fresh-secrets.test.ts: store no root key`] },
  {
    starts: "the team's release and lease keys",
    sentences: 2,
    tests: ['packages/server/src/secrets.test.ts: does not decrypt under another secret'],
  },
  {
    starts: "an issuer's tokens",
    sentences: 2,
    tests: [`${T}membership-rules.test.ts: stores no token of the issuer`],
  },
  {
    starts: 'user codes that wait',
    sentences: 2,
    tests: [`${T}people-device-code.test.ts: is over after ten minutes`],
  },
  { starts: 'names, addresses, roles', sentences: 2, tests: [], note: 'limit' },
  { starts: 'Backups of the database', sentences: 2, tests: [], note: 'advice' },
  {
    starts: 'Ten wrong passwords',
    sentences: 5,
    tests: [
      `${T}people-sign-in.test.ts: locks an account after ten failures, wherever they come from`,
      `${T}people-sign-in.test.ts: a network that failed often is shut`,
      `${T}access-limits.test.ts: holds in every process, for its own name`,
    ],
  },
  {
    starts: 'A user code has eight letters',
    sentences: 3,
    tests: [
      `${T}people-device-code.test.ts: is redeemed once, and enrols once`,
      `${T}access-limits.test.ts: are counted by person and by network`,
    ],
  },
  {
    starts: 'An enrolment without a valid proof',
    sentences: 1,
    tests: [
      `${T}enrolment-rules.test.ts: opens no transaction, and looks at nothing else, before the proof is checked`,
      `${T}people-devices.test.ts: a caller without a proof is counted, and waits after thirty tries`,
    ],
  },
  {
    starts: 'Tokens have 256 random bits',
    sentences: 2,
    tests: [
      `${T}people-access.test.ts: is 256 bits of chance`,
      `${T}people-garbage.test.ts: who shows many unknown tokens is no longer looked up`,
    ],
  },
  {
    starts: 'The sign-in page does not reveal',
    sentences: 1,
    tests: [`${T}people-sign-in.test.ts: does not reveal whether an address belongs to a member`],
  },
  {
    starts: 'Cookies are kept from scripts',
    sentences: 5,
    tests: [
      `${T}people-sign-in.test.ts: a cookie is kept from scripts and from other sites`,
      `${T}people-sign-in.test.ts: cookies are for https only`,
      `${T}people-sign-in.test.ts: calls with a cookie from %s do not count`,
      `${T}people-sign-in.test.ts: pages hold no script, and show what people typed as text`,
    ],
  },
  {
    starts: 'Users can always delete',
    sentences: 2,
    tests: [`${T}required.test.ts: denied in this process: %s`],
  },
  {
    starts: 'Records are as true',
    sentences: 2,
    tests: [`${T}rollout-monitor.test.ts: one device that lies halts nothing`],
  },
  { starts: 'The operator has the database', sentences: 1, tests: [], note: 'limit' },
  {
    starts: 'If more root keys are lost',
    sentences: 2,
    tests: [`${T}keys.test.ts: with one stolen root key of two that are needed, changes nothing`],
  },
]
