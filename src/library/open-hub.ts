import type { Config } from '../config/config.ts'
import { defaultHub, hubConfig, readCertificates } from '../config/hub.ts'
import type { ConfigSources } from '../config/sources.ts'
import type { Hub } from '../store/sources/hub.ts'
import { peerOrigin } from '../store/sources/peer.ts'
import { WebClient, type WebOptions } from '../store/web/web-client.ts'

export interface HubOptions {
  readonly isInsecureAllowed?: boolean
  /** Sources that the operator named. Only boxes among them get the key for other boxes. */
  readonly sources?: readonly string[]
  /** Overrides the retries of the client. */
  readonly questions?: WebOptions['questions']
}

/** Opens the hub that the environment names, with a client for it and for all other sources. Throws ConfigError. */
export function openHub(config: Config, environment: ConfigSources['environment'], options: HubOptions = {}): Hub {
  const { isInsecureAllowed = false, sources = [], questions } = options
  const { endpoint, token } = hubConfig(environment)
  const { origin } = new URL(endpoint)
  const client = new WebClient({
    isInsecureAllowed,
    // The operator has named the hub, so private addresses are allowed.
    trustedOrigins: endpoint === defaultHub ? [] : [origin],
    credentials: [...(token === undefined ? [] : [{ origin, token }]), ...shareCredentials(config, sources)],
    mirror: endpoint === defaultHub ? undefined : { from: defaultHub, to: endpoint },
    ca: config.pullCa === undefined ? undefined : readCertificates('pull-ca', config.pullCa),
    environment,
    questions,
  })
  return { client, endpoint }
}

/** Returns the key for other boxes (`share-key`) with the origin of each box among the sources. */
export function shareCredentials({ shareKey }: Pick<Config, 'shareKey'>, sources: readonly string[]) {
  if (shareKey === undefined) return []
  return sources.flatMap((source) => {
    const origin = peerOrigin(source)
    return origin === undefined ? [] : [{ origin, token: shareKey }]
  })
}
