import { dayMs } from '../../core/durations.ts'
import type { CertificateFacts } from '../../tls/certificate-pair.ts'
import { endsSoon } from '../../tls/certificates.ts'
import { isSelfSigned } from '../../tls/make-certificates.ts'
import type { Finding } from './check.ts'

/** Certificate that a running server uses */
export interface UsedCertificate extends CertificateFacts {
  /** Reason why there is no newer certificate. Undefined if none is needed. */
  readonly problem: string | undefined
}

const advice = "'inferd tls status' shows it"

/** Returns a finding on the certificate that a server uses. None without one. */
export function certificateFindings(used: UsedCertificate | undefined, nowMs: number): Finding[] {
  return used === undefined ? [] : [findingOf(used, nowMs)]
}

function findingOf(used: UsedCertificate, nowMs: number): Finding {
  const { problem, validToMs } = used
  const reason = problem === undefined ? '' : `: ${problem}`
  if (isSelfSigned(used))
    return {
      verdict: 'bad',
      text: `the authority has not issued a certificate yet, so no client trusts this server${reason}`,
      advice,
    }
  const days = Math.floor((validToMs - nowMs) / dayMs)
  const text = days < 0 ? 'the certificate in use has ended' : `the certificate in use is good for ${days} days`
  if (problem === undefined && !endsSoon(used, nowMs)) return { verdict: 'ok', text }
  const verdict = endsSoon(used, nowMs) && problem !== undefined ? 'bad' : 'warn'
  return { verdict: days < 0 ? 'bad' : verdict, text: `${text}, and no newer one is in use${reason}`, advice }
}
