import type { SessionClient } from '../accounts/sessions.ts'
import type { Caller, CallerKind } from '../operations/operation.ts'
import {
  type OperationInput,
  type OperationNameFor,
  type OperationResult,
  operations,
  perform,
} from '../operations/operations.ts'
import { OperationError } from '../operations/problem.ts'
import { problemError } from '../operations/problem-words.ts'
import { check, presentFields } from '../wire/check.ts'
import { clientNetwork } from './client-address.ts'
import { readJson } from './read-json.ts'
import type { Exchange } from './services.ts'

type CallerOf<Kind extends CallerKind> = Extract<Caller, { readonly kind: Kind }>
export type AccountCaller = CallerOf<'account'>
/** An operator who is signed in on a page. */
export type OperatorCaller = CallerOf<'operator'> & { readonly accountId: string; readonly session: string }

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
export function anybody(exchange: Exchange): CallerOf<'anybody'> {
  return { kind: 'anybody', network: clientNetwork(exchange.clientAddress), client: sessionClient(exchange) }
}

/** Address and browser that use a session, for the list of sessions. */
export function sessionClient({ clientAddress, request }: Exchange): SessionClient {
  return { address: clientAddress, userAgent: request.headers.get('user-agent') ?? undefined }
}

/** The account that a request is sent by. */
export function accountCaller(
  { clientAddress, observer }: Exchange,
  accountId: string,
  session?: string,
): AccountCaller {
  observer.accountId = accountId
  return { kind: 'account', accountId, session, network: clientNetwork(clientAddress) }
}

/** The operator that a request is sent by. Links that are made for it lead where its page came from. */
export function operatorCaller({ observer, request, baseUrl, url }: Exchange, accountId: string, session: string) {
  observer.accountId = accountId
  const adminUrl = request.headers.get('origin') ?? url.origin
  return { kind: 'operator', actor: `operator:${accountId}`, accountId, session, baseUrl, adminUrl } as const
}
