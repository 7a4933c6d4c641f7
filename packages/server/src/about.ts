// How this server was started, without secrets.

import type { Collector } from './audit/otlp/sender.js'
import type { Oidc } from './people/oidc.js'

export interface About {
  readonly oidcIssuer: string
  readonly oidcDomains: readonly string[]
  readonly oidcDefaultRole: string
  readonly otlpUrl: string
  readonly isPushDegraded: () => boolean
}

export const aboutOf = (
  oidc: Oidc | undefined,
  otlp: Collector | undefined,
  isPushDegraded: () => boolean,
): About => ({
  oidcIssuer: oidc?.issuer ?? '',
  oidcDomains: oidc?.allowedDomains ?? [],
  oidcDefaultRole: oidc ? (oidc.defaultRole ?? 'auditor') : '',
  otlpUrl: otlp ? withoutSecrets(otlp.url) : '',
  isPushDegraded,
})

/** Some collectors have their key in the address. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
