// Containers, clusters, infrastructure as code and clouds.

import type { Rule } from '../../finding.js'
import { type Row, ruleOf } from '../table.js'

const CONTAINERS: readonly Row[] = [
  {
    programs: 'docker podman nerdctl',
    ask: /^(?:container )?(?:run|exec|create)\b.*(?:--privileged|(?:-v|--volume)[= ]\/:|\/var\/run\/docker\.sock|--pid[= ]host)/,
    does: 'The container can change the machine.',
  },
  {
    programs: 'docker podman nerdctl',
    deny: /^(?:(?:volume|network|image|system|builder|buildx|context|secret|config|service|stack|node|swarm|plugin|container|pod|machine)s? (?:rm|remove|prune|leave|reset|destroy|inspect --rm)\b(?! .*--help)|rmi\b.*(?:-\w*f|--force|\$\(|\0)|rm\b.*(?:-\w*[fv]|--force|--volumes|\$\(|\0)|swarm leave|system reset)/,
    does: 'It deletes containers, images, volumes or networks.',
  },
  {
    programs: 'docker podman nerdctl docker-compose podman-compose',
    deny: /(?:^|compose\b.* )down\b.*(?:(?:^| )-\w*v|--volumes|--rmi)|(?:^|compose\b.* )rm\b.*-\w*[fsv]/,
    does: 'It deletes volumes or images.',
  },
  { programs: 'docker podman nerdctl docker-compose podman-compose', hasOwnVerbs: true },
  { programs: 'buildah crictl ctr skopeo regctl crane oras' },
]

const KUBERNETES: readonly Row[] = [
  {
    programs: 'kubectl oc',
    deny: /\bscale\b.*--replicas[= ]0\b/,
    does: 'It stops a workload.',
  },
  {
    programs: 'kubectl oc',
    deny: /^(?:\S+ ){0,4}(?:apply|replace|patch)\b.*(?:--prune\b|--force\b)/,
    does: 'It deletes resources.',
  },
  {
    programs: 'kubectl oc',
    deny: /\b(?:taint nodes?\b.*:NoExecute|config (?:delete-\w+|unset)|rollout undo|set image\b.*\0)/,
    does: 'It moves or changes workloads.',
  },
  { programs: 'kubectl oc', safe: /^(?:\S+ ){0,4}(?:auth can-i|explain|api-resources|wait\b.*--for)/ },
  {
    programs:
      'kubectl oc helm kustomize k9s velero argocd flux istioctl eksctl kops linkerd minikube kind k3d cilium kubeadm rancher talosctl',
  },
]

const TERRAFORM: readonly Row[] = [
  {
    programs: 'terraform tofu terragrunt',
    deny: /^(?:-chdir\S* )?(?:run-all |run --all )?(?:destroy|taint|force-unlock|apply\b.*-destroy)\b|\bdestroy\b.*-auto-approve/,
    does: 'It destroys infrastructure.',
  },
  {
    programs: 'terraform tofu terragrunt',
    deny: /\bapply\b.*(?:-auto-approve|--terragrunt-non-interactive)/,
    does: 'It changes infrastructure without confirmation.',
  },
  {
    programs: 'terraform tofu terragrunt',
    deny: /\bstate (?:rm|mv|push|replace-provider)\b|\bworkspace delete\b/,
    does: 'It changes the state of the infrastructure.',
  },
  { programs: 'terraform tofu terragrunt', hasOwnVerbs: true },
  {
    programs: 'pulumi cdk cdktf sls serverless sam sst',
    ask: /\b(?:up|deploy)\b.*(?:--yes|-y\b|--require-approval[= ]never|--auto-approve|--skip-preview)/,
    does: 'It changes infrastructure without confirmation.',
  },
  {
    programs: 'pulumi',
    deny: /\bstate (?:delete|unprotect|repair)|\bstack rm\b/,
    does: 'It changes the state of the infrastructure.',
  },
  {
    programs: 'ansible ansible-playbook',
    deny: /(?:state=absent|\brm -rf|reboot|shutdown)/,
    does: 'It removes resources on many machines.',
  },
  { programs: 'pulumi cdk cdktf sls serverless sam sst copilot packer vagrant' },
]

const STORED = 'It deletes stored files or settings.'
const CLOUD: readonly Row[] = [
  {
    programs: 'aws',
    deny: /\bs3(?:api)? (?:rm|rb|sync\b.*--delete|mv\b.*--recursive|put-bucket-(?:policy|lifecycle\S*|acl)|put-public-access-block)|\b(?:put-lifecycle|modify-db\S*.*--(?:no-deletion-protection|backup-retention-period 0)|update-secret .*--kms-key-id|schedule-key-deletion|stop-logging|set-desired-capacity\b.* 0\b|update-auto-scaling-group\b.*(?:--min-size 0|--desired-capacity 0))/,
    does: 'It deletes or exposes what is stored in the cloud.',
  },
  {
    programs: 'gsutil s3cmd s5cmd b2 rclone mc azcopy',
    deny: /^(?:\S+ ){0,3}(?:rm|rb|del|delete|deletefile|delete-file-version|delete-bucket|purge|cleanup|rmdirs?|remove|dedupe|bisync|expire)\b/,
    does: STORED,
  },
  {
    programs: 'gsutil s3cmd s5cmd b2 mc azcopy',
    deny: /\b(?:rsync|sync|mirror|mv|move)\b.*(?:--delete\S*|--remove|--del\b|(?: |^)-\w*d\w*(?: |$))/,
    does: 'It deletes files in the target.',
  },
  {
    programs: 'rclone',
    deny: /^(?:sync|move|moveto)\b/,
    does: 'It deletes files in the source or the target.',
  },
  {
    programs: 'mc',
    deny: /\b(?:admin|ilm|policy|replicate|retention|legalhold|event|tag|version|encrypt|quota)\b.*\b(?:rm|remove|delete|disable|unset|clear|suspend|detach|stop)\b/,
    does: STORED,
  },
  { programs: 'gsutil s3cmd s5cmd b2 rclone mc azcopy', hasOwnVerbs: true },
  {
    programs:
      'aws gcloud az bq doctl flyctl fly heroku vercel netlify railway wrangler ibmcloud oci linode-cli hcloud scw aliyun eb firebase vultr-cli openstack civo exo render',
  },
]

export const INFRASTRUCTURE = {
  containers: [ruleOf('containers/destroy', CONTAINERS, true)],
  kubernetes: [ruleOf('kubernetes/destroy', KUBERNETES, true)],
  terraform: [ruleOf('terraform/destroy', TERRAFORM, true)],
  cloud: [ruleOf('cloud/destroy', CLOUD, true)],
} as const satisfies Readonly<Record<string, readonly Rule[]>>
