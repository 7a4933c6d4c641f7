// CI, registries of packages, and services that teams operate: secret stores, queues, payments, backups, web servers.

import { finding, type Rule } from '../../finding.js'
import { type Row, ruleOf } from '../table.js'

const CI: readonly Row[] = [
  {
    programs: 'gh',
    deny: /^(?:secret|variable) (?:set|delete|remove)|^repo (?:archive|edit\b.*--visibility|rename|transfer)|^pr merge\b.*--admin|^workflow disable|^ruleset|^api\b.*(?:-X|--method)[ =]?(?:DELETE)/,
    does: 'It changes or deletes what the whole team uses.',
  },
  {
    programs: 'gitlab-rails gitlab-rake',
    deny: /\b(?:destroy|destroy_all|delete|delete_all|drop|cleanup|reset)\b/i,
    does: 'It deletes GitLab data.',
  },
  {
    programs: 'gitlab-ctl',
    deny: /\b(?:stop|cleanse|uninstall|remove-accounts)\b/,
    does: 'It stops or removes GitLab.',
  },
  { programs: 'gh glab hub circleci jenkins jenkins-cli buildkite-agent travis drone act gitlab-runner fly' },
]

const PACKAGE = 'It publishes or withdraws a package.'
const PUBLISHING: readonly Row[] = [
  {
    programs: 'npm yarn pnpm',
    deny: /^(?:npm )?(?:unpublish|owner rm|dist-tag rm|access|token revoke|deprecate)\b/,
    does: 'It withdraws a package or changes its owners.',
  },
  {
    programs: 'npm yarn pnpm',
    ask: /^(?:npm )?(?:publish|owner add|dist-tag add|token create|team)\b/,
    does: PACKAGE,
  },
  {
    programs: 'cargo gem',
    deny: /^(?:yank|owner)\b/,
    does: 'It withdraws a package or changes its owners.',
  },
  { programs: 'cargo', ask: /^publish\b/, does: PACKAGE },
  { programs: 'gem', ask: /^push\b/, does: PACKAGE },
  { programs: 'twine', ask: /^upload\b/, does: PACKAGE },
  { programs: 'poetry', deny: /^remove\b/, ask: /^publish\b/, does: PACKAGE },
  { programs: 'pip pip3', deny: /^uninstall\b/, does: 'It removes a package.' },
  { programs: 'mvn gradle gradlew', ask: /\b(?:deploy|publish\w*|release:\w+)\b/, does: PACKAGE },
  { programs: 'dotnet nuget', deny: /^(?:nuget )?delete\b/, ask: /^(?:nuget )?push\b/, does: PACKAGE },
  {
    programs: 'npm yarn pnpm cargo gem twine poetry pip pip3 mvn gradle gradlew dotnet nuget go',
    hasOwnVerbs: true,
  },
]

const SERVICES: readonly Row[] = [
  { programs: 'service', deny: /^\S+ (?:stop|disable)\b/, does: 'It stops a service.', hasOwnVerbs: true },
  {
    programs: 'systemctl',
    deny: /^(?:\S+ )?(?:stop|disable|mask|kill)\b.*\b(?:haproxy|nginx|traefik|apache2|httpd|caddy|envoy)\b/,
    ask: /^(?:stop|disable|mask|kill)\b/,
    does: 'It stops a service.',
    hasOwnVerbs: true,
  },
  {
    programs: 'docker podman',
    deny: /^(?:stop|kill|rm)\b.*\b(?:traefik|haproxy|nginx|caddy|envoy|kong)\b/,
    does: 'It stops a proxy that others use.',
    hasOwnVerbs: true,
  },
  { programs: 'nginx', deny: /(?:^| )-s (?:stop|quit)/, does: 'It stops the web server.', hasOwnVerbs: true },
  {
    programs: 'apachectl',
    deny: /\b(?:stop|graceful-stop)\b/,
    does: 'It stops the web server.',
    hasOwnVerbs: true,
  },
  {
    programs: 'socat nc ncat',
    deny: /haproxy\S*\.sock.*|\bhaproxy\b/,
    safe: /^(?![\s\S]*\b(?:disable|shutdown|set server|del|clear|set weight|set maxconn)\b)/,
    does: 'It changes the running proxy.',
    hasOwnVerbs: true,
  },
  {
    programs: 'deck',
    deny: /^(?:gateway )?(?:sync|reset)\b/,
    does: 'It replaces the configuration of the gateway.',
  },
  {
    programs: 'kafka-topics kafka-consumer-groups kafka-configs kafka-acls rpk',
    deny: /--delete\b|--delete-\w+|--reset-offsets|--remove\b|\bdelete\b/,
    does: 'It deletes topics, records or offsets.',
    hasOwnVerbs: true,
  },
  { programs: 'kafka-delete-records', deny: /./, does: 'It deletes records.', hasOwnVerbs: true },
  {
    programs: 'restic borg duplicity',
    deny: /(?:^| )(?:forget|prune|delete|key remove|unlock --remove-all|compact|recreate|remove-\S+|cleanup|rewrite|--cleanup)(?: |$)/,
    ask: /(?:^| )(?:break-lock|unlock)(?: |$)/,
    does: 'It deletes backups.',
    hasOwnVerbs: true,
  },
  {
    programs: 'unleash flipt ld ldcli launchdarkly split',
    safe: /^(?:features?|flags?|toggles?) (?:disable|enable)\b/,
  },
  {
    programs: 'stripe',
    deny: /\b(?:roll|refunds create|payouts create)\b/,
    does: 'It changes keys, or moves money.',
  },
  { programs: 'splunk', deny: /\b(?:clean|remove|stop|offline)\b/, does: 'It deletes or stops an index.' },
  {
    programs:
      'vault op doppler bw pass consul etcdctl nomad kcat rabbitmqctl rabbitmqadmin nats nsc stripe twilio sendgrid fastly cloudflared launchdarkly ldcli ld flipt unleash split pagerduty pd datadog-ci datadog newrelic sentry-cli algolia meilisearch apigeecli kong haproxy traefik postmark mailgun ses prometheus promtool grafana-cli elb splunk braintree elastic elasticsearch curator auth0 okta chamber infisical',
  },
]

/** Requests that delete, to the HTTP interface of any service. */
const http: Rule = ({ name, texts }) => {
  if (!/^(?:curl|http|https|xh|wget|httpie)$/.test(name)) return undefined
  const line = texts.join(' ')
  const deletes =
    /(?:-X|--request|--method)[ =]?['"]?DELETE\b/i.test(line) || /^delete$/i.test(texts[0] ?? '')
  const acts =
    /\/(?:_delete_by_query|_close|_shutdown|_cluster\/reroute|_all|delete|purge|cache\/purge|quitquitquit|doDelete|kill|disable|unpublish|delete-batch|deleteByQuery)(?:[?/ "']|$)/i.test(
      line,
    ) &&
    /(?:-X|--request|--method)[ =]?(?:POST|PUT|PATCH)|(?:^| )(?:-d|--data\S*)[ =]|^(?:post|put|patch) /i.test(
      line,
    )
  return deletes || acts ? finding('services/http-delete', 'It sends a request that deletes.') : undefined
}

/** Keys and known machines of the ssh client, and files of the system on another machine. */
const remote: Rule = ({ name, texts, operands }) => {
  if (name === 'ssh-keygen' && texts.includes('-R'))
    return finding('services/known-hosts', 'It removes a known host.')
  if (name === 'ssh-add' && texts.some(text => /^-[dD]$/.test(text)))
    return finding('services/agent-keys', 'It removes keys from the agent.')
  if (name === 'rsync' && texts.some(text => /^--(?:delete\S*|del|remove-source-files)$/.test(text)))
    return texts.some(text => /^(?:-\w*n\w*|--dry-run|--list-only)$/.test(text))
      ? undefined
      : finding('files/sync-delete', 'rsync deletes files in its target.')
  return /^(?:scp|rsync|sftp)$/.test(name) &&
    /^[^/:\s]+:\/(?:etc|bin|sbin|boot|usr|lib\w*|root|dev|sys|proc)?(?:\/|$)/.test(
      operands.at(-1)?.text ?? '',
    ) &&
    !/^[^:]+:\/usr\/(?:local\/)?(?:share|src)\//.test(operands.at(-1)?.text ?? '')
    ? finding('files/overwrite-system', 'It overwrites a system folder on another machine.')
    : undefined
}

export const DELIVERY = {
  ci: [ruleOf('ci/destroy', CI, true)],
  publishing: [ruleOf('publishing/destroy', PUBLISHING, true)],
  services: [ruleOf('services/destroy', SERVICES, true), http, remote],
} as const satisfies Readonly<Record<string, readonly Rule[]>>
