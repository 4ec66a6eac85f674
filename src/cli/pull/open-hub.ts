import type { Config } from '../../config/config.ts'
import { defaultHub, hubConfig, readCertificates } from '../../config/hub.ts'
import type { Hub } from '../../store/sources/hub.ts'
import { WebClient } from '../../store/web/web-client.ts'
import type { Io } from '../io.ts'

/** The hub that the environment names, and the way to it and to all other servers. Throws ConfigError. */
export function openHub({ pullCa }: Config, { environment }: Io, isInsecureAllowed = false): Hub {
  const { endpoint, token } = hubConfig(environment)
  const { origin } = new URL(endpoint)
  const client = new WebClient({
    isInsecureAllowed,
    // The operator has named the hub, whatever its address.
    trustedOrigins: endpoint === defaultHub ? [] : [origin],
    credentials: token === undefined ? undefined : { origin, token },
    mirror: endpoint === defaultHub ? undefined : { from: defaultHub, to: origin },
    ca: readCertificates(pullCa),
    environment,
  })
  return { client, endpoint }
}
