import type { SessionClient } from '../accounts/sessions.ts'
import type { StaffRole } from '../core/roles.ts'
import type { Caller, CallerKind, OperationServices } from '../operations/operation.ts'
import {
  type OperationInput,
  type OperationNameFor,
  type OperationResult,
  perform as performOperation,
} from '../operations/operations.ts'
import { OperationError } from '../operations/problem.ts'
import { problemError } from '../operations/problem-words.ts'
import { presentFields } from '../wire/check.ts'
import { isLocal } from './admin-reach.ts'
import { clientNetwork } from './client-address.ts'
import type { Exchange } from './exchange.ts'
import { readJson } from './read-json.ts'

/** Request whose handler performs operations */
export type Performing = Exchange<keyof OperationServices | 'config'>

type CallerOf<Kind extends CallerKind> = Extract<Caller, { readonly kind: Kind }>
export type AccountCaller = CallerOf<'account'>
/** Staff who are signed in on a page. */
export type StaffCaller = CallerOf<'operator'> & {
  readonly accountId: string
  readonly session: string
  readonly role: StaffRole
}

/** Performs an operation for a request. Rejects with ApiError if it is refused. */
export async function perform<Kind extends CallerKind, Name extends OperationNameFor<Kind>>(
  { services }: Exchange<keyof OperationServices>,
  caller: CallerOf<Kind>,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationResult<Name>> {
  try {
    // The type of the result follows from the operation's name.
    return (await performOperation(services, caller, { name, input })) as OperationResult<Name>
  } catch (error) {
    throw error instanceof OperationError ? problemError(error.problem) : error
  }
}

/** Performs an operation with the request's body as its input. */
export async function performBody<Kind extends CallerKind, Name extends OperationNameFor<Kind>>(
  exchange: Performing,
  caller: CallerOf<Kind>,
  name: Name,
): Promise<OperationResult<Name>> {
  const input = presentFields(await readJson(exchange))
  return perform(exchange, caller, name, input as OperationInput<Name>) // the operation checks it
}

/** Returns a caller that is known only by its network. */
export function anybody(exchange: Exchange<'config'>): CallerOf<'anybody'> {
  const client = sessionClient(exchange)
  return { kind: 'anybody', network: clientNetwork(exchange.clientAddress), client, isLocal: isLocal(exchange) }
}

/** Address and browser that use a session, for the list of sessions. */
export function sessionClient({ clientAddress, request }: Exchange): SessionClient {
  return { address: clientAddress, userAgent: request.headers.get('user-agent') ?? undefined }
}

/** Returns the account that sends a request as a caller. */
export function accountCaller(
  { clientAddress, observer }: Exchange,
  { accountId, holderId, session }: Pick<AccountCaller, 'accountId'> & Partial<AccountCaller>,
): AccountCaller {
  observer.accountId = accountId
  return { kind: 'account', accountId, holderId, session, network: clientNetwork(clientAddress) }
}

/** Returns the staff who send a request as a caller. Links in the result lead to the origin of their page. */
export function staffCaller(
  { observer, request, baseUrl, url, clientAddress }: Exchange,
  { accountId, session, role }: Pick<StaffCaller, 'accountId' | 'session' | 'role'>,
): StaffCaller {
  observer.accountId = accountId
  const adminUrl = request.headers.get('origin') ?? url.origin
  const network = clientNetwork(clientAddress)
  return { kind: 'operator', role, actor: `${role}:${accountId}`, accountId, session, network, baseUrl, adminUrl }
}
