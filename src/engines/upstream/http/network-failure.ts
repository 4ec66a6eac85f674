import { UpstreamFailure } from './failure.ts'

const tlsCodes = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH|ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO/
const largeCodes = /^HPE_.*OVERFLOW/
/** Error codes of the HTTP parser. */
const malformedCodes = /^HPE_/

const connectWords: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'nothing listens at its address',
  EHOSTUNREACH: 'no route leads to it',
  ENETUNREACH: 'no route leads to it',
}

const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is made for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'nobody trusted has signed it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'nobody trusted has signed it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody trusted has signed it',
}

const trustAdvice =
  "; add your network's authority to this machine's certificates or name its file in NODE_EXTRA_CA_CERTS"

/** Returns the failure for a connection's error, by the progress of the exchange. */
export function networkFailure(error: unknown, progress: 'connecting' | 'connected' | 'answering'): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const code = codeOf(error)
  const facts = { cause: error }
  if (progress === 'connecting') {
    if (tlsCodes.test(code)) return new UpstreamFailure('tls', tlsProblem(code), facts)
    const words = connectWords[code]
    return new UpstreamFailure('connect', `the server cannot be reached: ${words ? `${words} (${code})` : code}`, facts)
  }
  if (largeCodes.test(code))
    return new UpstreamFailure('too-large', `the server's headers are too large (${code})`, facts)
  if (malformedCodes.test(code))
    return new UpstreamFailure('malformed', `the server does not speak HTTP (${code})`, facts)
  const before = progress === 'connected' ? 'before an answer came' : 'before the answer ended'
  return new UpstreamFailure('cut', `the connection to the server was lost ${before} (${code})`, facts)
}

function tlsProblem(code: string): string {
  const words = certificateWords[code]
  if (words === undefined) return `the server cannot be spoken to over TLS (${code})`
  const advice = words.startsWith('nobody') || words.startsWith('it is signed') ? trustAdvice : ''
  return `the server's certificate is refused: ${words} (${code})${advice}`
}

/** Returns the error's code, which unlike its message contains no address. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.name : 'unknown'
}
