// What the guard decides about calls of kubectl and about the manifests that they send.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Judgement, type Options, withDefaults } from '../guard.js'
import { kubernetes } from './guard.js'

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  template:
    spec:
      containers:
        - name: app
          image: shop/web
          env: [{ name: PORT, value: "80" }, { name: TOKEN, valueFrom: { secretKeyRef: { name: a, key: b } } }]
          securityContext: { privileged: false }
`
const pod = (spec: string) => `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: ${spec}\n`
const container = (rest: string) => pod(`{ containers: [{ name: c, image: alpine, ${rest} }] }`)

const FILES: Readonly<Record<string, string>> = {
  'web.yaml': WEB,
  'safe/web.yaml': WEB,
  'safe/notes.txt': 'kind: Secret',
  'no-secret.yaml': `kind: EncryptedSecret\nspec: { encryptedData: { password: AgB } }\n---\n${container('env: [{ name: PASSWORD_FILE, value: /run/secrets/db }]')}`,
  'third.yaml': `kind: ConfigMap\ndata:\n  text: |\n    --- not a document\n    hostNetwork: true\n---\n# nothing here\n---\n${container('securityContext: { privileged: true }')}`,
  'init.yaml': pod(`{"initContainers": [{"name": "a", securityContext: {privileged: true}}]}`),
  'yes.yaml': pod('{ hostPID: yes }'),
  'case.yaml': 'kind: Pod\nspec:\n  HostNetwork: true\n',
  'host.yaml': pod('{ hostNetwork: true, volumes: [{ name: root, hostPath: { path: / } }] }'),
  'ipc.yaml': pod('{ hostIPC: true }'),
  'cron.yaml':
    'kind: CronJob\nspec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          hostNetwork: true\n',
  'admin.yaml': 'kind: ClusterRoleBinding\nroleRef: { kind: ClusterRole, name: cluster-admin }\n',
  'namespaced-admin.yaml': "kind: RoleBinding\nroleRef: { name: 'cluster-admin' }\n",
  'secret.yaml': 'kind: Secret\nmetadata: { name: db }\ndata: { password: aHVudGVyMg== }\n',
  'text-secret.yaml': 'kind: Secret\nstringData: { password: hunter2 }\n',
  'variable.yaml': container('env: [{ name: DB_PASSWORD, value: hunter2 }]'),
  'list.yaml': `kind: List\nitems:\n  - { kind: ConfigMap }\n  - kind: List\n    items: [{ kind: Pod, metadata: { name: b }, spec: { hostPID: true } }]\n`,
  'anchors.yaml':
    'kind: Pod\nx-safe: &base { securityContext: { privileged: true } }\nspec: { containers: [{ <<: *base, name: b }] }\n',
  'bomb.yaml': [...'bcdef'].reduce(
    (text, letter, at) => `${text}${letter}: &${letter} [${`*${'abcde'[at]}, `.repeat(9)}]\n`,
    'a: &a [x, x, x]\n',
  ),
  'twice.yaml': 'kind: Pod\nkind: ConfigMap\n',
  'broken.yaml': 'kind: Pod\n  metadata: [\n',
  'tab.yaml': 'a:\n\tb: 1\n',
  'quote.yaml': 'a: "b\n',
  'words.yaml': 'only words\n',
  'pod.json':
    '{"kind":"Pod","spec":{"containers":[{"securityContext":{"capabilities":{"add":["SYS_ADMIN"]}}}]}}',
  'two.json': '{"kind":"A"}\n---\n{"spec":{"hostNetwork":true}}',
  'deep/inner/secret.yml': 'kind: Secret\nstringData: { a: b }\n',
  'role.yaml':
    'kind: ClusterRole\nmetadata: { name: reader }\nrules: [{ resources: [pods], verbs: [get] }]\n',
  'everything.yaml': 'kind: ClusterRole\nrules: [{ resources: ["*"], verbs: ["*"] }]\n',
  'crd.yaml':
    'kind: CustomResourceDefinition\nspec: { properties: { hostPath: { type: object } } }\nmetadata: { name: a }\n',
  'webhook.yaml': 'kind: ValidatingWebhookConfiguration\n',
  'prod.yaml': 'kind: ConfigMap\nmetadata: { name: a, namespace: shop-prod }\n',
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': WEB,
  'over/kustomization.yaml': 'resources: [../bad]\n',
  'bad/kustomization.yaml': 'resources: [pod.yaml]\n',
  'bad/pod.yaml': pod('{ hostNetwork: true }'),
  'patched/kustomization.yaml': `resources: [../base]\npatches: [{ patch: "kind: Pod\\nspec: { hostIPC: true }\\n" }]\n`,
  'json-patched/kustomization.yaml':
    'patches:\n- patch: |-\n    - { op: add, path: /spec/hostNetwork, value: true }\n',
  'made/kustomization.yaml': 'secretGenerator:\n- name: db\n  literals: [password=hunter2]\n',
  'remote/kustomization.yaml': "resources: ['https://example.com/app?ref=v1']\n",
}

let base: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-kubernetes-'))
  vi.stubEnv('KUBECONFIG', '')
  for (const [name, text] of Object.entries(FILES)) write(join('app', name), text)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(base, name)), { recursive: true })
  writeFileSync(join(base, name), text)
}

const judge = (command: string, options: Options = {}, home = 'home'): Judgement | Promise<Judgement> => {
  const root = join(base, 'app')
  const place = { root, cwd: root, home: join(base, home) }
  return kubernetes.judge({ command }, withDefaults(kubernetes, options), place)
}

async function decisionOf(command: string, options?: Options, home?: string): Promise<string> {
  const { findings, unknown = [] } = await judge(command, options, home)
  if (findings.some(({ decision }) => decision === 'deny')) return 'deny'
  return findings.length + unknown.length > 0 ? 'ask' : 'none'
}

const DELETE = 'kubectl delete ns shop'

describe('calls', () => {
  it.each([
    'npm test && echo "kubectl delete ns x"',
    'grep -rn "kubectl apply" docs | head',
    'kubectl get pods -n $NS -o json | jq . && kubectl --context prod describe pod "$(cat name)"',
    'kubectl get pods -A && kubectl logs web',
    'kubectl get secrets',
    'kubectl get secret db -o name',
    'kubectl apply -f third.yaml --dry-run=server',
    'kubectl delete pod a --dry-run=client',
    'kubectl auth can-i create pods',
    'source "$HOME/env.sh" && kubectl get pods',
    '$EDITOR web.yaml',
    'helm list && helm template .',
    '',
  ])('lets pass: %s', async command => expect(await decisionOf(command)).toBe('none'))

  it.each([
    'kubectl delete pod/a namespace/shop',
    'kubectl delete -f web.yaml',
    'kubectl -n shop delete --wait=false ns shop',
    'kubectl --new-option x delete ns shop',
    'kubectl drain node-1',
    'helm uninstall web',
    'kubectl get secret app -ojson',
    'kubectl create clusterrolebinding me --clusterrole cluster-admin --user ada',
    'kubectl create clusterrolebinding all --clusterrole=cluster-admin --group=a',
    'kubectl create secret generic db --from-literal=password=hunter2',
    'kubectl run x --image=x --privileged',
    `kubectl run x --image=x --overrides='{"spec":{"hostPID":true}}'`,
    `kubectl patch deploy web -p '{"spec":{"template":{"spec":{"hostNetwork":true}}}}'`,
    'kubectl apply --dry-run=none -f host.yaml',
    'sudo -E A=1 /usr/local/bin/kubectl apply -f host.yaml',
    'true; X=1 sudo -E env A=b kubectl --v 4 delete ns shop',
    'kube\'\'ctl de\\lete "n"s shop',
    "$'\\x6bubectl' delete ns shop",
    `bash -lc 'sh -c "${DELETE}"'`,
    `bash -ceuo pipefail '${DELETE}'`,
    `. /dev/stdin <<< '${DELETE}'`,
    `echo "$(echo "$(${DELETE})")" \`date\``,
    `for n in a b; do\n  ${DELETE}\ndone`,
    `ssh host '${DELETE}'`,
    `K=kubectl; $K delete ns shop`,
    'alias kk=kubectl; kk delete ns shop',
    `echo ${DELETE} | sh`,
    'kubectl get ns -o name | xargs kubectl delete',
    'echo a | xargs -I{} kubectl apply -f host.yaml',
    'microk8s kubectl apply -f host.yaml',
    'minikube kubectl -- apply -f host.yaml',
    "kubectl delete ns 'shop",
    `sleep 1 & ${DELETE}`,
  ])('denies: %s', async command => expect(await decisionOf(command)).toBe('deny'))

  it.each([
    'kubectl exec -it web -- sh',
    'kubectl apply -f web.yaml --prune -l a=b',
    'kubectl create clusterrole reader --verb=get --resource=pods',
    'kubectl --context=eu-prod-1 apply -f web.yaml',
    'kubectl scale deploy/web --replicas 0 -nproduction',
    'KUBECONFIG=~/.kube/prod kubectl apply -f web.yaml',
    'kubectl config use-context prod',
    'kubectl config use-context prod && kubectl apply -f web.yaml',
    'helm upgrade web ./chart --kube-context eu-prod',
    'kubectl --context "$C" apply -f web.yaml',
    'kubectl apply -f "$FILE"',
    'kubectl apply -f <(generate)',
    'kubectl $VERB ns shop',
    '$KUBECTL delete ns shop',
    'cd "$X" && kubectl apply -f web.yaml',
    "kubectl apply -f 'a",
  ])('asks: %s', async command => expect(await decisionOf(command)).toBe('ask'))

  it('names what it found', async () => {
    const { findings } = await judge('kubectl apply -f third.yaml')
    expect(findings.map(({ reason }) => reason)).toEqual([
      'third.yaml, document 3 (Pod a): a privileged container (c).',
    ])
  })
})

describe('the cluster', () => {
  const CONFIG = 'apiVersion: v1\ncurrent-context: arn:aws:eks:eu:1:cluster/prod\n'

  it('is that of the current context', async () => {
    write('in-prod/.kube/config', CONFIG)
    write('app/other-config', CONFIG.replace('prod', 'staging'))
    expect(await decisionOf('kubectl apply -f web.yaml', {}, 'in-prod')).toBe('ask')
    for (const other of ['--context staging', '--kubeconfig other-config'])
      expect(await decisionOf(`kubectl ${other} apply -f web.yaml`, {}, 'in-prod')).toBe('none')
    const switched = 'kubectl config use-context staging && kubectl apply -f web.yaml'
    expect(await decisionOf(switched, {}, 'in-prod')).toBe('none')
  })

  it('must be one of the contexts in the options', async () => {
    const options = { contexts: ['kind-*'] }
    expect(await decisionOf('kubectl --context kind-a apply -f web.yaml', options)).toBe('none')
    expect(await decisionOf('kubectl --context b apply -f web.yaml', options)).toBe('ask')
    expect(await decisionOf('kubectl apply -f web.yaml', options)).toBe('ask')
    expect(await decisionOf('kubectl get pods', options)).toBe('none')
  })

  it('has protected namespaces, also in manifests', async () => {
    const options = { protected: ['payments'] }
    expect(await decisionOf('kubectl -n payments apply -f web.yaml', options)).toBe('ask')
    expect(await decisionOf('kubectl apply -f prod.yaml', options)).toBe('none')
  })
})

describe('manifests', () => {
  it.each([
    '-f web.yaml',
    '-f safe/',
    '-f no-secret.yaml',
    '-f deep',
    '-k base',
    '-k ./base',
    "-f - <<'END'\nkind: ConfigMap\nmetadata: { name: a }\nEND\n",
    '-f web.yaml; cat web.yaml',
  ])('lets pass: kubectl apply %s', async rest =>
    expect(await decisionOf(`kubectl apply ${rest}`)).toBe('none'),
  )

  it.each([
    ...'third init yes case host ipc cron admin namespaced-admin secret text-secret variable list anchors bomb everything'
      .split(' ')
      .map(name => `-f ${name}.yaml`),
    ...'twice broken tab quote words'.split(' ').map(name => `-f ${name}.yaml`),
    '-f pod.json',
    '-f two.json',
    '-fsecret.yaml',
    '-f web.yaml,secret.yaml',
    '-f web.yaml --filename=host.yaml',
    '-Rf deep',
    '--recursive -f deep',
    '-k over',
    '-k patched',
    '-k made',
    '-f - <<END\nkind: Pod\nspec: { hostNetwork: true }\nEND\n',
  ])('denies: kubectl apply %s', async rest => expect(await decisionOf(`kubectl apply ${rest}`)).toBe('deny'))

  it.each([
    'kubectl replace -f host.yaml',
    'kubectl create --filename=host.yaml',
    '(cd safe); kubectl apply -f secret.yaml',
    'cd deep/inner && kubectl apply -f secret.yml',
    'cd deep && kubectl apply -f ../host.yaml',
    'cat <<END | kubectl apply -f -\nkind: Pod\nspec: { hostNetwork: true }\nEND',
  ])('denies: %s', async command => expect(await decisionOf(command)).toBe('deny'))

  it.each([
    '-f role.yaml',
    '-f crd.yaml',
    '-f webhook.yaml',
    '-f prod.yaml',
    '-f https://example.com/app.yaml',
    '-f missing.yaml',
    '-k remote',
    '-k nowhere',
    '-k json-patched',
  ])('asks: kubectl apply %s', async rest => expect(await decisionOf(`kubectl apply ${rest}`)).toBe('ask'))

  it.each([
    'helm template . | kubectl apply -f -',
    'cp host.yaml web.yaml && kubectl apply -f web.yaml',
    'generate > web.yaml; kubectl apply -f web.yaml',
    'cp host.yaml safe/a.yaml; kubectl apply -f safe',
  ])('asks: %s', async command => expect(await decisionOf(command)).toBe('ask'))
})
