import { ApiError } from '../core/errors.ts'
import type { Caller, CallerKind } from '../operations/operation.ts'
import {
  type OperationInput,
  type OperationNameFor,
  type OperationResult,
  operations,
  perform,
} from '../operations/operations.ts'
import { OperationError, type Problem, type ProblemWords, wordsOf } from '../operations/problem.ts'
import { check, presentFields } from '../wire/check.ts'
import { clientNetwork } from './client-address.ts'
import { readJson } from './read-json.ts'
import type { Exchange } from './services.ts'

type CallerOf<Kind extends CallerKind> = Extract<Caller, { readonly kind: Kind }>
export type AccountCaller = CallerOf<'account'>

/** Has an operation done for a request. Rejects with ApiError where it is refused. */
export async function performFor<Kind extends CallerKind, Name extends OperationNameFor<Kind>>(
  { services }: Exchange,
  caller: CallerOf<Kind>,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationResult<Name>> {
  try {
    // `perform` runs the operation of this name.
    return (await perform(services, caller, { name, input })) as OperationResult<Name>
  } catch (error) {
    throw error instanceof OperationError ? problemError(error.problem) : error
  }
}

/** The same, with the request's body as the input. */
export async function performBody<Kind extends CallerKind, Name extends OperationNameFor<Kind>>(
  exchange: Exchange,
  caller: CallerOf<Kind>,
  name: Name,
): Promise<OperationResult<Name>> {
  const input = check(operations[name].input, presentFields(await readJson(exchange)))
  return performFor(exchange, caller, name, input as OperationInput<Name>) // checked by its schema
}

/** A sender of whom only the network is known. */
export function anybody({ clientAddress }: Exchange): CallerOf<'anybody'> {
  return { kind: 'anybody', network: clientNetwork(clientAddress) }
}

/** The account that a request is sent by. */
export function accountCaller({ clientAddress, record }: Exchange, accountId: string, session?: string): AccountCaller {
  record.accountId = accountId
  return { kind: 'account', accountId, session, network: clientNetwork(clientAddress) }
}

const invalid = (code: string, message: string, param?: string) =>
  new ApiError('invalid_request', message, { code, param })
const unauthenticated = (code: string, message: string) => new ApiError('authentication', message, { code })
const voucher = (code: string, message: string) => invalid(code, message, 'code')

const words: ProblemWords<ApiError> = {
  invalid_input: ({ field, rule }) => invalid('invalid_value', `'${field}' ${rule}.`, field),
  not_found: ({ what }) =>
    new ApiError('not_found', `This account has no such ${what}.`, { code: `${what}_not_found` }),
  not_signed_in: ({ code }) => unauthenticated(code, 'Nobody is signed in here. Sign in at the dashboard.'),
  invalid_credentials: ({ code }) =>
    unauthenticated(code, 'This address and password do not go together. Without a password, ask for a link by mail.'),
  invalid_link: ({ code }) =>
    unauthenticated(code, 'This link was used before, has expired, or is not complete. Ask for a new one.'),
  wrong_password: () => invalid('invalid_credentials', "'current' must be the password so far.", 'current'),
  weak_password: ({ code, field, rule }) => invalid(code, `'${field}' must ${rule}.`, field),
  invalid_email: () => invalid('invalid_value', "'email' must be a mail address such as ada@example.org.", 'email'),
  email_taken: ({ code }) =>
    invalid(code, 'This address has an account already. Sign in to it at the dashboard.', 'email'),
  disposable_email: ({ code, domain }) =>
    invalid(code, `Mail to ${domain} is thrown away. Use a lasting address.`, 'email'),
  signup_closed: ({ code }) =>
    new ApiError('permission', 'This server takes no signups. Ask its operator for an account.', { code }),
  signup_limit: ({ code, maximum, retryAfterSeconds }) => {
    const message = `There were ${maximum} signups from this network today. Try again tomorrow (UTC).`
    return new ApiError('rate_limit', message, { code, retryAfterSeconds })
  },
  too_many_attempts: ({ code, retryAfterSeconds, hasOtherWay }) => {
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const wait = `${minutes} minute${minutes === 1 ? '' : 's'}${hasOtherWay ? ', or sign in by a mailed link' : ''}`
    return new ApiError('rate_limit', `Too many attempts. Try again in ${wait}.`, { code, retryAfterSeconds })
  },
  too_many_keys: ({ code, maximum }) => invalid(code, `An account has at most ${maximum} keys. Revoke one first.`),
  voucher_unknown: ({ code }) => voucher(code, 'There is no such voucher. Check that the code was typed whole.'),
  voucher_expired: ({ code }) => voucher(code, 'This voucher has expired.'),
  voucher_revoked: ({ code }) => voucher(code, 'This voucher was withdrawn by the operator.'),
  voucher_used: ({ code, isOwn }) => {
    const own = isOwn ? ' It was you: the amount is in your balance.' : ''
    return voucher(code, `This voucher was redeemed before.${own}`)
  },
  voucher_over_limit: ({ code }) =>
    voucher(code, 'With this voucher the balance would be more than an account may have. Use some of it first.'),
}

/** A problem that no client can cause is a bug of this server. */
export function problemError(problem: Problem): ApiError | Error {
  return wordsOf(words, problem) ?? new Error(`an operation failed with "${problem.code}": this is a bug`)
}
