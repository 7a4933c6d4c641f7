// Names of files that contain secrets whatever their content.

/** Templates: settings without their values. */
const HARMLESS = /(?:^|[._-])(?:example|sample|template|dist|defaults?|schema)(?:[._-]|$)|\.pub$/

const SECRET: readonly (readonly [RegExp, string])[] = [
  [/\/\.env(?:\.[^/]*)?$|\/[^/]+\.env$/, 'is an environment file'],
  [/\/\.envrc$/, 'is an environment file'],
  [/\/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/, 'is a private key'],
  [/\/\.ssh\/(?!(?:config|known_hosts|authorized_keys)(?:\.old)?$)[^/]+$/, 'is a private key'],
  [/\.(?:key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/, 'is a key or a store of keys'],
  [
    /\/(?:\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.pypirc|\.htpasswd|\.vault-token)$/,
    'holds passwords',
  ],
  [
    /\/\.aws\/(?:credentials|sso\/.*)$|\/\.azure\/.*token.*$|\/gcloud\/.*credentials.*$/,
    'holds cloud credentials',
  ],
  [/\/\.docker\/config\.json$|\/\.kube\/config$|\/kubeconfig$/, 'holds the keys of a cluster or registry'],
  [
    /\/(?:client_secret|service[_-]?account|credentials?|secrets?)[^/]*\.(?:json|ya?ml|toml|ini|txt|xml|properties)$/,
    'holds credentials',
  ],
  [/\.tfstate(?:\.[^/]*)?$|\.tfvars(?:\.json)?$/, 'holds values of an infrastructure'],
  [/^\/proc\/[^/]+\/environ$|^\/etc\/(?:shadow|gshadow|sudoers)/, 'belongs to the system'],
]

export function secretName(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const name = `/${path.replaceAll('\\', '/').toLowerCase()}`.replace(/^\/+/, '/')
    const found = SECRET.find(([pattern]) => pattern.test(name))
    if (found && !HARMLESS.test(name.slice(name.lastIndexOf('/') + 1))) return found[1]
  }
}
