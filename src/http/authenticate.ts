import type { KeyVerdict } from '../accounts/keys.ts'
import { ApiError } from '../core/errors.ts'
import { unreachable } from '../core/unreachable.ts'

/** The part of the key store that checks a secret. */
export interface KeyVerifier {
  verify(secret: string): KeyVerdict
}

export interface AuthenticateOptions {
  /** The path also takes `x-api-key: <key>`. It counts before a bearer key, which is tried when it is not valid. */
  readonly acceptsApiKeyHeader: boolean
}

export interface KeyHolder {
  readonly accountId: string
  readonly keyId: string
}

/** Checks the key in `Authorization: Bearer <key>`. Throws ApiError 401 with the code that says what is wrong with it. */
export function authenticate(
  headers: Headers,
  keys: KeyVerifier,
  { acceptsApiKeyHeader }: AuthenticateOptions,
): KeyHolder {
  const secrets = [
    ...(acceptsApiKeyHeader ? [withoutScheme(headers.get('x-api-key'))] : []),
    bearerKey(headers.get('authorization')),
  ].filter((secret) => secret !== undefined)
  const verdicts = secrets.map((secret) => keys.verify(secret))
  const verdict = verdicts.find(({ kind }) => kind === 'valid') ?? verdicts[0]
  if (verdict === undefined) {
    const ways = `'Authorization: Bearer <key>'${acceptsApiKeyHeader ? " or 'x-api-key: <key>'" : ''}`
    throw refusal('missing_api_key', `Send an API key in the header ${ways}.`)
  }
  switch (verdict.kind) {
    case 'valid':
      return { accountId: verdict.accountId, keyId: verdict.keyId }
    case 'unknown':
      throw refusal('invalid_api_key', 'This API key is not known here. Check that it was copied whole.')
    case 'revoked':
      throw refusal('key_revoked', 'This API key was revoked. Use another one.')
    case 'expired':
      throw refusal('key_expired', 'This API key has expired. Use another one.')
    case 'account-disabled':
      throw refusal('account_disabled', 'The account of this API key is disabled. Its operator can enable it again.')
    default:
      return unreachable(verdict)
  }
}

function bearerKey(header: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(header?.trim() ?? '')?.[1]
}

/** The key in `x-api-key`. Some clients write the scheme there too. */
function withoutScheme(header: string | null): string | undefined {
  const secret = header?.trim().replace(/^bearer +/i, '') ?? ''
  return secret === '' ? undefined : secret
}

function refusal(code: string, message: string): ApiError {
  return new ApiError('authentication', message, { code })
}
