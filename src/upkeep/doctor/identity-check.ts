import { ProviderClient } from '../../accounts/oidc/provider-client.ts'
import { ProviderError } from '../../accounts/oidc/provider-error.ts'
import { readCertificates } from '../../config/hub.ts'
import { errorText } from '../../core/error-text.ts'
import type { IdentityProvider } from '../../core/identity-provider.ts'
import type { Finding } from './check.ts'

/** Checks that identity providers describe themselves. Asks each of them once. */
export async function identityFindings(providers: Iterable<IdentityProvider>): Promise<Finding[]> {
  return Promise.all([...providers].map(identityFinding))
}

async function identityFinding(provider: IdentityProvider): Promise<Finding> {
  const { name } = provider
  try {
    const ca = provider.ca === undefined ? undefined : readCertificates(`[oidc.${name}] ca`, provider.ca)
    await new ProviderClient({ provider, ca, monotonicMs: () => performance.now() }).check()
    return { verdict: 'ok', text: `the identity provider ${name} answers` }
  } catch (error) {
    const problem = error instanceof ProviderError ? error.problem : undefined
    const reason = problem !== undefined && 'reason' in problem ? problem.reason : errorText(error)
    const advice = `check issuer and ca of [oidc.${name}], and that this machine reaches the provider`
    return { verdict: 'bad', text: `the identity provider ${name} does not answer: ${reason}`, advice }
  }
}
