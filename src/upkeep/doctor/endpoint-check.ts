import type { EndpointState } from '../../core/endpoint-state.ts'
import type { Finding } from './check.ts'

/** Endpoint to check. Fields are null in a server's JSON. */
export interface CheckedEndpoint extends Pick<EndpointState, 'model' | 'url' | 'state' | 'isSilent'> {
  readonly lastFailure: { readonly reason: string } | null | undefined
  readonly outOfUse: string | null | undefined
}

/** Returns problems of upstream models' endpoints. Empty if there are no endpoints. */
export function endpointFindings(endpoints: readonly CheckedEndpoint[]): Finding[] {
  if (endpoints.length === 0) return []
  const findings = endpoints.flatMap((endpoint) => endpointFinding(endpoint) ?? [])
  return findings.length > 0 ? findings : [{ verdict: 'ok', text: 'no endpoint fails or lacks its model' }]
}

function endpointFinding({ model, url, state, isSilent, lastFailure, outOfUse }: CheckedEndpoint): Finding | undefined {
  const { host } = new URL(url)
  if (outOfUse) {
    const text = `endpoint ${host} of model ${model} gets no requests: it ${outOfUse}`
    return { verdict: 'bad', text, advice: `mend the server there, or the table [upstream] of the model's manifest` }
  }
  if (isSilent) {
    const text = `endpoint ${host} of model ${model} does not work: ${lastFailure?.reason ?? 'no reason is known'}`
    const advice = `start the server there, or remove the endpoint from the model's manifest; 'inferd endpoints' shows whether requests go to it`
    return { verdict: 'bad', text, advice }
  }
  if (state !== 'draining') return undefined
  const advice = `'inferd endpoints resume ${model} ${host}' lets requests in again`
  return { verdict: 'warn', text: `endpoint ${host} of model ${model} is drained`, advice }
}
