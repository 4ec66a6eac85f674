/** Reason why a provider's answer signs nobody in. */
export type ProviderProblem =
  /** The browser did not begin this sign-in, or ended it before, or it took too long. */
  | { readonly code: 'oidc_expired' }
  /** `reason`: code of the provider's error or of the failed check. */
  | { readonly code: 'oidc_refused'; readonly provider: string; readonly reason: string }
  /** A logout token fails a check, which ends nothing. */
  | { readonly code: 'oidc_logout_refused'; readonly provider: string; readonly reason: string }
  /** The provider does not answer, or its answers cannot be read. */
  | { readonly code: 'oidc_unavailable'; readonly provider: string; readonly reason: string }

export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly problem: ProviderProblem

  constructor(problem: ProviderProblem, cause?: unknown) {
    super(problem.code, { cause })
    this.problem = problem
  }
}

/** Codes of the library for answers that never came, or are none of this protocol. */
const unavailableCodes = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
])

/** Returns an error of the library, or of a request, as a problem of this provider. */
export function toProviderError(error: unknown, provider: string): ProviderError {
  if (error instanceof ProviderError) return error
  const { code, error: refused } = Object(error)
  // The provider's own code, such as access_denied. Its description may be anybody's text.
  if (typeof refused === 'string') {
    const reason = /^[\w-]{1,50}$/.test(refused) ? refused : 'an unknown error'
    return new ProviderError({ code: 'oidc_refused', provider, reason }, error)
  }
  const reason = typeof code === 'string' && /^[\w-]{1,80}$/.test(code) ? code : 'no answer'
  const isAnswer = typeof code === 'string' && code.startsWith('OAUTH_') && !unavailableCodes.has(code)
  return new ProviderError({ code: isAnswer ? 'oidc_refused' : 'oidc_unavailable', provider, reason }, error)
}
