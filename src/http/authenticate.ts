import type { KeyVerdict } from '../accounts/keys.ts'
import { ApiError } from '../core/errors.ts'
import { type Owner, ownerOf } from '../core/owner.ts'
import type { ErrorDialect } from './exchange.ts'

/** Part of the key store that checks a secret. */
export interface KeyVerifier {
  verify(secret: string): KeyVerdict
}

export interface KeyHolder {
  /** Account that pays */
  readonly accountId: string
  /** Member who uses a team's key */
  readonly holderId?: string | undefined
  /** Account or holder whose later requests may find what this one leaves in memory */
  readonly owner: Owner
  readonly keyId: string
  /** True for requests without a key from programs on this machine. */
  readonly isKeyless?: true
}

/** Headers that may carry a key. */
interface KeyHeaders {
  readonly acceptsApiKeyHeader: boolean
}

/** Returns which headers may carry a key in a dialect. */
export function keyHeaders(dialect: ErrorDialect): KeyHeaders {
  return { acceptsApiKeyHeader: dialect === 'messages' }
}

/**
 * Checks the key in `Authorization: Bearer <key>`. Where `x-api-key: <key>` is accepted, it is tried first and the
 * bearer key only if it is not valid. Throws ApiError 401 with a code that names the problem.
 */
export function authenticate(headers: Headers, keys: KeyVerifier, { acceptsApiKeyHeader }: KeyHeaders): KeyHolder {
  const verdicts = secretsOf(headers, { acceptsApiKeyHeader }).map((secret) => keys.verify(secret))
  const verdict = verdicts.find(({ kind }) => kind === 'valid') ?? verdicts[0]
  if (verdict === undefined) {
    const ways = `'Authorization: Bearer <key>'${acceptsApiKeyHeader ? " or 'x-api-key: <key>'" : ''}`
    throw refusal('missing_api_key', `Send an API key in the header ${ways}.`)
  }
  return holderOf(verdict)
}

/** Returns the holder of a valid key in the headers; undefined if there is none. */
export function keyHolder(headers: Headers, keys: KeyVerifier, accepted: KeyHeaders): KeyHolder | undefined {
  const verdicts = secretsOf(headers, accepted).map((secret) => keys.verify(secret))
  const valid = verdicts.find(({ kind }) => kind === 'valid')
  return valid && holderOf(valid)
}

/** Returns the account of a valid key. Throws ApiError 401 with a code that names the problem. */
export function holderOf(verdict: KeyVerdict): KeyHolder {
  if (verdict.kind !== 'valid') throw refusal(...refusals[verdict.kind])
  const { accountId, keyId, holderId } = verdict
  return { accountId, keyId, holderId, owner: ownerOf({ accountId, holderId }) }
}

/**
 * Returns whether the request carries a key, valid or not, or another credential. An `Authorization` header with an
 * empty or bare `Bearer` value counts as none: some clients send it without a key.
 */
export function sendsKey(headers: Headers, accepted: KeyHeaders): boolean {
  const authorization = headers.get('authorization')?.trim() ?? ''
  return secretsOf(headers, accepted).length > 0 || !/^(bearer)?$/i.test(authorization)
}

function secretsOf(headers: Headers, { acceptsApiKeyHeader }: KeyHeaders): string[] {
  const secrets = [
    ...(acceptsApiKeyHeader ? [withoutScheme(headers.get('x-api-key'))] : []),
    bearerKey(headers.get('authorization')),
  ]
  return secrets.filter((secret) => secret !== undefined)
}

const refusals: Readonly<Record<Exclude<KeyVerdict['kind'], 'valid'>, readonly [code: string, message: string]>> = {
  unknown: ['invalid_api_key', 'This API key is not known here. Check that it was copied whole.'],
  revoked: ['key_revoked', 'This API key was revoked. Use another one.'],
  expired: ['key_expired', 'This API key has expired. Use another one.'],
  'account-disabled': [
    'account_disabled',
    'The account of this API key is disabled. Its operator can enable it again.',
  ],
  'identity-paused': [
    'identity_paused',
    'This API key pauses until its holder signs in at the dashboard by their identity provider again.',
  ],
}

function bearerKey(header: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(header?.trim() ?? '')?.[1]
}

/** Returns the key in `x-api-key` without the scheme that some clients add. */
function withoutScheme(header: string | null): string | undefined {
  const secret = header?.trim().replace(/^bearer +/i, '') ?? ''
  return secret === '' ? undefined : secret
}

function refusal(code: string, message: string): ApiError {
  return new ApiError('authentication', message, { code })
}
