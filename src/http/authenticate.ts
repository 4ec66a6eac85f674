import type { KeyVerdict } from '../accounts/keys.ts'
import { ApiError } from '../core/errors.ts'
import { unreachable } from '../core/unreachable.ts'

/** The part of the key store that checks a secret. */
export interface KeyVerifier {
  verify(secret: string): KeyVerdict
}

/** Who calls, by `Authorization: Bearer <key>`. Throws ApiError 401 with the code that says what is wrong with the key. */
export function authenticate(headers: Headers, keys: KeyVerifier): { keyId: string; accountId: string } {
  const authorization = headers.get('authorization')?.trim() ?? ''
  const secret = /^bearer +(\S.*)$/i.exec(authorization)?.[1]
  if (secret === undefined) {
    throw refusal('missing_api_key', "Send an API key in the header 'Authorization: Bearer <key>'.")
  }
  const verdict = keys.verify(secret)
  switch (verdict.kind) {
    case 'valid':
      return { keyId: verdict.keyId, accountId: verdict.accountId }
    case 'unknown':
      throw refusal('invalid_api_key', 'This API key is not known here. Check that it was copied whole.')
    case 'revoked':
      throw refusal('key_revoked', 'This API key was revoked. Use another one.')
    case 'expired':
      throw refusal('key_expired', 'This API key has expired. Use another one.')
    default:
      return unreachable(verdict)
  }
}

function refusal(code: string, message: string): ApiError {
  return new ApiError('authentication', message, { code })
}
