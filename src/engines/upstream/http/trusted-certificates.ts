import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

let context: SecureContext | undefined

/** Bun's authorities, those of NODE_EXTRA_CA_CERTS and those of this machine. Read once: 15 ms. */
export function trustedCertificates(): SecureContext {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  })
  return context
}
