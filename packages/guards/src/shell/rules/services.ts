// Clients of databases, clusters, clouds and other services. Their commands have one shape: program, nouns, a verb, options.
// A verb that destroys is denied unless the call only shows what it would do.

import { finding, type Rule, type Topic } from '../finding.js'

const PROGRAMS: Readonly<Record<string, Topic>> = {}
const add = (topic: Topic, names: string) => {
  for (const name of names.split(' ')) (PROGRAMS as Record<string, Topic>)[name] = topic
}
add(
  'databases',
  'psql mysql mariadb sqlite3 redis-cli valkey-cli mongosh mongo cqlsh clickhouse-client clickhouse dropdb dropuser mysqladmin influx cockroach supabase prisma neonctl pg_restore sqlcmd snowsql duckdb',
)
add('containers', 'docker podman nerdctl docker-compose podman-compose buildah crictl ctr')
add('kubernetes', 'kubectl oc helm kustomize k9s velero argocd flux istioctl eksctl kops linkerd')
add(
  'terraform',
  'terraform tofu terragrunt pulumi cdk cdktf ansible-playbook ansible sls serverless sam copilot packer vagrant',
)
add(
  'cloud',
  'aws gcloud az gsutil bq azcopy s3cmd mc rclone doctl flyctl fly heroku vercel netlify railway wrangler ibmcloud oci linode-cli hcloud scw aliyun eb s5cmd b2 firebase',
)
add('ci', 'gh glab hub circleci jenkins jenkins-cli buildkite-agent travis drone act fly')
add('publishing', 'npm yarn pnpm cargo gem twine poetry mvn gradle gradlew dotnet nuget pip pip3 go')
add(
  'services',
  'vault op doppler bw pass consul etcdctl nomad kafka-topics kafka-consumer-groups kafka-configs kafka-delete-records kafka-acls kafka-acls.sh rpk kcat rabbitmqctl rabbitmqadmin nats nsc stripe twilio sendgrid fastly cloudflared launchdarkly ldcli ld flipt unleash split pagerduty pd datadog-ci datadog newrelic sentry-cli restic borg duplicity algolia meilisearch apigeecli deck kong haproxy nginx apachectl traefik systemctl postmark mailgun ses restic-rest prometheus promtool grafana-cli elb gitlab-runner gitlab-rails splunk service braintree',
)

const DESTROYS =
  /^(?:batch[-_])?(?:delete|unset|untag|unassign|del|destroy|remove|rm|rmi|rb|purge|drop|flush|wipe|erase|terminate|truncate|prune|revoke|unregister|deregister|deprovision|uninstall|reset|clear|nuke|zap|empty|disable|detach|cancel|forget|unlink|undeploy|down|stop|kill|drain|evict|deactivate|archive|yank|unpublish|deprecate|rollback|downgrade|force-unlock|taint|abort|void|refund|close|expire|prune-cache|gc|seal|invalidate|replace|cordon|rewind|restore|reject|quarantine|unseal|cleanup|decommission|removeall|deleteall|delete-all|flushall|flushdb|dropdatabase|rekey|revoke-prefix|rotate|schedule-deletion|schedule-key-deletion|force-delete)(?:[-_:][\w-]+)*$/i
const DESTROYING_CALL =
  /^(?:delete|remove|terminate|destroy|purge|deregister|disable|revoke|detach|cancel|reset|clear|drop|force-delete|schedule-key-deletion|release-address|reject|disassociate|stop|unsubscribe|put-lifecycle)[-\w]*$/i
const MILD =
  /^(?:stop|down|close|clear|cancel|reset|disable|archive|restore|rotate|cordon|drain|replace|rollback|detach|gc|abort|kill|rm|remove|uninstall|deprecate|seal|invalidate|expire|yank)$/i
const SHOWS =
  /^(?:get|list|ls|describe|show|status|info|view|read|search|top|logs?|explain|diff|plan|validate|version|help|inspect|ps|images|events|config|auth|login|whoami|lint|template|fmt|check|stat|head|cat|test|verify|history|output|state|print|count|query|scan|tail|preview|whatis)$/i
const SQL =
  /\b(?:drop\s+(?:database|table|schema|index|view|user|role|keyspace|column|function|sequence|extension|type|owned|collection|measurement|series)\b|truncate\s+(?:table\s+)?[\w"`.*{}$\0]+|delete\s+from\s+[\w"`.]+\s*(?:;|$|'|")|delete\s+from\s+[\w"`.]+\s+where\s+(?:1\s*=\s*1|true)\b|alter\s+table\s+\S+\s+drop\b|update\s+[\w"`.]+\s+set\s+(?![\s\S]*\bwhere\b)|drop\s+owned)/i
const NOSQL =
  /\b(?:flushall|flushdb|dropDatabase\s*\(|deleteMany\s*\(\s*(?:\{\s*\})?\s*\)|\.remove\s*\(\s*\{\s*\}\s*\)|\.drop(?:Indexes|User|AllUsers|Role)?\s*\(|shutdown(?:Server)?\b|debug\s+segfault|config\s+resetstat|script\s+flush|cluster\s+reset|db\.dropUser)/i

const DRY =
  /^(?:--(?:dry-?run|dryrun|check|what-?if|noop|no-op|preview|plan|help|version|list)(?:=(?:true|client|server|all))?|-h|-help|--what-if)$/i

const service =
  (topic: Topic): Rule =>
  subject => {
    const name = subject.name.replace(/\.(?:sh|jar)$/, '')
    const own = PROGRAMS[name]
    const { texts } = subject
    // SQL that is typed for a client that is open.
    if (
      topic === 'databases' &&
      /^(?:drop|truncate|delete|alter)$/.test(name) &&
      SQL.test(`${name} ${texts.join(' ')}`)
    )
      return finding(
        'databases/destroy',
        'It deletes data without a way back.',
        'Select the rows first, and let the user decide.',
      )
    if (own !== topic) return undefined
    if (texts.some(text => DRY.test(text) || text === '--dryrun')) return undefined
    const joined = `${texts.join(' ')} ${subject.call.input ?? ''} ${subject.call.from.flatMap(call => call.args.map(({ text }) => text)).join(' ')}`
    const deny = (reason: string, decision: 'deny' | 'ask' = 'deny') =>
      finding(`${topic}/destroy`, reason, 'Show what it would change, and let the user decide.', decision)
    if (topic === 'databases') {
      if (/^(?:dropdb|dropuser)$/.test(name)) return deny('It deletes a database or a user.')
      if (SQL.test(joined) || NOSQL.test(joined)) return deny('It deletes data without a way back.')
      if (name === 'mysqladmin' && /\b(?:drop|shutdown|flush-\w+)\b/.test(joined))
        return deny('It deletes a database or stops the server.')
      if (name === 'pg_restore')
        return subject.has('c', 'clean') ? deny('It drops objects before it restores them.') : undefined
      if (name === 'redis-cli' || name === 'valkey-cli')
        return /(?:^| )(?:del|unlink|flush\w*|shutdown|debug|config set|eval)(?: |$)/i.test(joined)
          ? deny('It deletes keys or changes the server.', /eval|config/i.test(joined) ? 'ask' : 'deny')
          : undefined
      if (!/^(?:supabase|prisma|neonctl|influx|cockroach|clickhouse)$/.test(name)) return undefined
    }
    const words = texts.filter(text => !/^-/.test(text))
    const early = words.slice(0, 5)
    if (topic === 'publishing')
      return publishing(name, early, joined)
        ? deny(
            'It publishes, withdraws or removes a package.',
            /unpublish|yank|owner|dist-tag rm|access|uninstall|remove/.test(joined) ? 'deny' : 'ask',
          )
        : undefined
    if (name === 'service')
      return /^(?:stop|disable)$/.test(words[1] ?? '') ? deny('It stops a service.') : undefined
    if (name === 'deck')
      return /^(?:sync|reset|gateway (?:sync|reset))/.test(words.join(' '))
        ? deny('It replaces the configuration of the gateway.')
        : undefined
    if (topic === 'services' && name === 'systemctl')
      return /^(?:stop|disable|mask|kill)$/.test(words[0] ?? '')
        ? deny('It stops a service.', 'ask')
        : undefined
    if (topic === 'services' && name === 'nginx')
      return /(?:^| )-s (?:stop|quit)/.test(joined) ? deny('It stops the web server.') : undefined
    if (topic === 'terraform' && /^(?:terraform|tofu|terragrunt)$/.test(name)) {
      if (/\b(?:destroy|taint|force-unlock)\b/.test(early.join(' ')) || /-destroy\b/.test(joined))
        return deny('It destroys infrastructure.')
      if (/^(?:run-all )?apply/.test(early.join(' ')) && /-auto-approve/.test(joined))
        return deny('It changes infrastructure without a question.')
      if (/^state (?:rm|mv|push|replace)/.test(early.join(' ')) || /^workspace delete/.test(early.join(' ')))
        return deny('It changes the state of the infrastructure.')
      return undefined
    }
    if (/^(?:mc|rclone|gsutil|s3cmd|azcopy|s5cmd|b2)$/.test(name)) {
      const verb = words[0] ?? ''
      if (
        /^(?:rm|rb|del|delete|deletefile|purge|cleanup|rmdirs|rmdir|remove|sync|mirror|move|moveto|mv|dedupe|bisync)$/.test(
          verb,
        )
      ) {
        if (/^(?:sync|mirror|mv|move|moveto)$/.test(verb))
          return /--(?:delete\S*|remove|del)|(?:^| )-d(?: |$)/.test(joined) || name === 'rclone'
            ? deny('It deletes files in the target.')
            : undefined
        return deny('It deletes stored files.')
      }
      return /\b(?:admin|ilm|rb|rm|delete|remove)\b.*\b(?:rm|remove|delete|disable)\b|\brm\b.*-r/.test(
        early.join(' '),
      )
        ? deny('It deletes stored files or settings.')
        : undefined
    }
    if (/^(?:kafka-|rpk)/.test(name))
      return /--delete\b|--delete-offsets|--reset-offsets|--remove\b|\bdelete\b/.test(joined) ||
        /delete-records/.test(name)
        ? deny('It deletes topics, records or offsets.')
        : undefined
    if (name === 'restic' || name === 'borg' || name === 'duplicity')
      return /^(?:forget|prune|delete|key remove|unlock --remove-all|compact|recreate|break-lock|remove-\S+|cleanup|unlock|rewrite)/.test(
        words.join(' '),
      )
        ? deny('It deletes backups.', /break-lock|unlock/.test(joined) ? 'ask' : 'deny')
        : undefined
    const at = early.findIndex(
      word =>
        DESTROYS.test(word) ||
        (name === 'aws' || name === 'az' || name === 'gcloud' ? DESTROYING_CALL.test(word) : false),
    )
    const api = /(?:-X|--method|-XDELETE|--request)[ =]?(?:DELETE)\b|-XDELETE/i.test(joined)
    if (api) return deny('It sends a request that deletes.')
    if (at === -1) {
      if (
        topic === 'containers' &&
        /^run$|^exec$|^create$/.test(words[0] ?? '') &&
        /--privileged|-v[= ]\/:|--volume[= ]\/:|\/var\/run\/docker\.sock|--pid[= ]host/.test(joined)
      )
        return deny('The container can change the machine.', 'ask')
      if (topic === 'kubernetes' && /^(?:scale)$/.test(words[0] ?? '') && /--replicas[= ]0\b/.test(joined))
        return deny('It stops a workload.')
      if (
        topic === 'kubernetes' &&
        /^(?:apply|replace|patch)$/.test(words[0] ?? '') &&
        /--prune|--force/.test(joined)
      )
        return deny('It deletes resources.')
      if (
        topic === 'terraform' &&
        /^(?:pulumi|cdk|sls|serverless|sam)$/.test(name) &&
        /\b(?:up|deploy)\b.*(?:--yes|-y\b|--require-approval never)/.test(joined)
      )
        return deny('It changes infrastructure without a question.', 'ask')
      return undefined
    }
    const verb = early[at]!
    // `gh repo list`, `helm get`: a word that shows comes first, so the other is a name.
    if (
      early
        .slice(0, at)
        .some(word => SHOWS.test(word) && !/^(?:config|auth|state|logs?|events|images|history)$/.test(word))
    )
      return undefined
    if (topic === 'containers' && /^(?:stop|kill|down|rm|remove|logs)$/.test(verb)) {
      const isForced = /(?:^| )-\w*[fv]\w*(?: |$)|--(?:force|volumes|rmi)\b|\$\(|\0/.test(joined)
      if (verb === 'stop' || verb === 'kill') return undefined
      if (verb === 'down')
        return /(?:^| )-v(?: |$)|--volumes|--rmi/.test(joined)
          ? deny('It deletes volumes or images.')
          : undefined
      return isForced || /^(?:volume|network|image|system|builder|context)$/.test(words[0] ?? '')
        ? deny('It deletes containers, volumes or images.')
        : undefined
    }
    return deny(
      `"${verb}" deletes or stops something of ${name}.`,
      MILD.test(verb) && topic !== 'kubernetes' && at > 2 ? 'ask' : 'deny',
    )
  }

const publishing = (name: string, words: readonly string[], joined: string): boolean => {
  const verbs = words.slice(0, 2).join(' ')
  if (/^(?:npm|yarn|pnpm)$/.test(name))
    return /^(?:publish|unpublish|deprecate|owner (?:add|rm)|dist-tag (?:rm|add)|access|token (?:revoke|create)|team|npm publish)/.test(
      verbs,
    )
  if (name === 'cargo') return /^(?:publish|yank|owner)/.test(verbs)
  if (name === 'gem') return /^(?:push|yank|owner)/.test(verbs)
  if (name === 'twine') return words[0] === 'upload'
  if (name === 'poetry') return /^(?:publish|remove)$/.test(words[0] ?? '')
  if (/^(?:mvn|gradlew?)$/.test(name)) return /\b(?:deploy|publish\w*|release:\w+)\b/.test(joined)
  if (name === 'dotnet' || name === 'nuget') return /\b(?:push|delete)\b/.test(verbs)
  if (/^pip3?$/.test(name)) return words[0] === 'uninstall'
  return false
}

/** Requests that delete, to the HTTP interface of any service. */
export const http: Rule = ({ name, texts }) => {
  if (!/^(?:curl|http|https|xh|wget|httpie)$/.test(name)) return undefined
  const joined = texts.join(' ')
  const deletes =
    /(?:-X|--request|--method)[ =]?['"]?DELETE\b|-XDELETE\b/i.test(joined) || /^delete$/i.test(texts[0] ?? '')
  const acts =
    /\/(?:_delete_by_query|_close|_shutdown|_cluster\/reroute|_all|delete|purge|cache\/purge|quitquitquit|doDelete|kill|disable|unpublish|delete-batch|deleteByQuery)(?:[?/ "']|$)/i.test(
      joined,
    ) &&
    /(?:-X|--request|--method)[ =]?(?:POST|PUT|PATCH)|(?:^| )(?:-d|--data\S*)[ =]|^(?:post|put|patch) /i.test(
      joined,
    )
  return deletes || acts
    ? finding(
        'services/http-delete',
        'It sends a request that deletes.',
        'Read it first with GET, and let the user decide.',
      )
    : undefined
}

/** Keys and known machines of the ssh client. */
export const remote: Rule = ({ name, texts }) => {
  if (name === 'ssh-keygen' && texts.includes('-R'))
    return finding('services/known-hosts', 'It removes a known host.', undefined, 'deny')
  if (name === 'ssh-add' && texts.some(text => /^-[dD]$/.test(text)))
    return finding('services/agent-keys', 'It removes keys from the agent.', undefined)
  return undefined
}

export const SERVICES: Readonly<Partial<Record<Topic, readonly Rule[]>>> = Object.fromEntries(
  (
    ['databases', 'containers', 'kubernetes', 'terraform', 'cloud', 'ci', 'publishing', 'services'] as const
  ).map(topic => [topic, topic === 'services' ? [service(topic), http, remote] : [service(topic)]]),
)
