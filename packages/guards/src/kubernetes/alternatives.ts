// A way for each rule of the guard.

export const ALTERNATIVES = {
  'kubernetes/delete': 'Show what it would delete: `kubectl delete pod web --dry-run=server`.',
  'kubernetes/context': 'Read in this cluster, `kubectl get pods`, and let the user change it.',
  'kubernetes/manifest': 'Show the difference without sending it: `kubectl diff -f web.yaml`.',
  'kubernetes/secret': 'Show the names only: `kubectl get configmaps`.',
  'kubernetes/access': 'Read the logs instead: `kubectl logs web`.',
} as const
