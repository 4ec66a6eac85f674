import type { Static, TObject } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import type { IdentityProviders } from '../accounts/oidc/identity-providers.ts'
import type { SessionClient } from '../accounts/sessions.ts'
import type { SignupLimits } from '../accounts/signup-limit.ts'
import type { RequestRates } from '../billing/request-rates.ts'
import type { StaffRole } from '../core/roles.ts'
import type { EndpointControl } from '../inference/endpoint-control.ts'
import type { ModelControl } from '../inference/model-control.ts'
import type { RecentRequests } from '../telemetry/recent-requests.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { OperationError } from './problem.ts'
import type { RunningServer } from './running-server.ts'
import type { Stores } from './stores.ts'

/** Caller of an operation. */
export type Caller =
  | {
      /** Somebody on the operators' side: the machine's owner at the command line, or staff signed in on a page. */
      readonly kind: 'operator'
      /** Rights of staff who are signed in on a page. The machine's owner has an operator's. */
      readonly role?: StaffRole | undefined
      /** `cli:<user>`, `<role>:<account id>` or `system`, for the audit log. */
      readonly actor: string
      /** Address of the server for links, without path. */
      readonly baseUrl: string
      /** Address for links to the operator's pages. Undefined if these are off. */
      readonly adminUrl?: string | undefined
      /** Account of staff who are signed in on a page, with the secret of the session and the client's network. */
      readonly accountId?: string | undefined
      readonly session?: string | undefined
      readonly network?: string | undefined
    }
  | {
      readonly kind: 'account'
      readonly accountId: string
      /** Member whose key of a team was sent. */
      readonly holderId?: string | undefined
      /** Secret of the account's session; undefined if an API key was sent. */
      readonly session?: string | undefined
      readonly network: string
    }
  | {
      readonly kind: 'anybody'
      /** Network of the client: one IPv4 address, or a /64 of IPv6. */
      readonly network: string
      /** Address and browser, which the list of sessions shows. */
      readonly client?: SessionClient | undefined
      /** True for programs on this machine. */
      readonly isLocal?: boolean
    }

export type CallerKind = Caller['kind']

/** Operator's settings on accounts. */
export interface AccountRules {
  readonly isSignupOpen: boolean
  /** Who may sign in by a password or a mailed link. An operator's password always works on this machine. */
  readonly localSignIn: 'all' | 'staff' | 'off'
  readonly starterCreditNanoUsd: number
  /** Limits on signups per network and day. */
  readonly signupLimits: SignupLimits
  /** Domains whose addresses are refused, beside the shipped list. */
  readonly blockedEmailDomains: readonly string[]
  /** True if a mail server is configured. Otherwise the operator hands out the links. */
  readonly sendsMail: boolean
}

/** Parts that operations work with, in the server or in a command's own process. */
export interface OperationServices {
  readonly stores: Stores
  readonly rules: AccountRules
  readonly limits: AttemptLimits
  /** Undefined without a running server. */
  readonly rates?: Pick<RequestRates, 'state'> | undefined
  /** Delivery of mails, to be woken when one was put into the outbox. */
  readonly mails: { wake(): void }
  /** Called after each operation that writes, since it may have ended sessions. */
  readonly onWritten?: (() => void) | undefined
  /** Requests of the running server; undefined in a command's own process. */
  readonly requests?: Pick<RecentRequests, 'running' | 'recent' | 'cancel' | 'sinceMs'> | undefined
  /** Undefined without a running server. */
  readonly identityProviders?: IdentityProviders | undefined
  /** Undefined without a running server. */
  readonly models?: ModelControl | undefined
  /** Undefined without a running server. */
  readonly endpoints?: EndpointControl | undefined
  /** Undefined without a running server. */
  readonly server?: RunningServer | undefined
  /** Milliseconds UTC. */
  readonly clock: () => number
}

export interface OperationContext<Kind extends CallerKind = CallerKind> extends OperationServices {
  readonly caller: Extract<Caller, { readonly kind: Kind }>
}

/**
 * Change or report of the service. A page, API or command reads a request, performs one operation, and renders the
 * result.
 */
export interface Operation<Kind extends CallerKind, Schema extends TObject, Result, Prepared> {
  /** Kinds of callers that may perform it. An account may only act on itself. */
  readonly callers: readonly Kind[]
  /** Roles of staff who may perform it where `callers` has `operator`. Defaults to operators alone. */
  readonly roles?: readonly StaffRole[]
  /** Fields of the input that roles may give. A role without a list may give all. */
  readonly fieldsOf?: { readonly [Role in StaffRole]?: readonly (keyof Schema['properties'])[] }
  /** `write`: runs in a grouped commit of the database's one writer. `read`: may also run beside the writer. */
  readonly kind: 'read' | 'write'
  /** True if it reads state that only the running server has, so that commands ask the server. */
  readonly asksServer?: boolean
  /** Schema of the input. Each field's description completes a sentence that begins with the field's name. */
  readonly input: Schema
  /**
   * Limit of the caller's changes. Defaults to limits per minute, hour and day. `minute`: only per minute, for
   * operations that lock out a thief, who could use up the others. `own`: `prepare` counts, once the caller has proven
   * to be the owner.
   */
  readonly changeLimit?: 'minute' | 'own'
  /** True if it may put a mail into the outbox. */
  readonly putsMail?: boolean
  /** Does slow work (passwords), and effects that must outlast a failure (counted attempts), before the transaction. */
  prepare?(context: OperationContext<Kind>, input: Static<Schema>): Promise<Prepared>
  /** Does the work synchronously in one transaction. Throws OperationError. */
  run(context: OperationContext<Kind>, input: Static<Schema>, prepared: Prepared): Result
  /** Has effects that only a change that is durable may have. Does not throw. */
  afterwards?(context: OperationContext<Kind>): void
  /** Takes back effects of `run` outside the database, after its transaction failed. Does not throw. */
  undo?(context: OperationContext<Kind>): void
}

/** Returns the operation with inferred types. */
export function operation<Kind extends CallerKind, Schema extends TObject, Result, Prepared = undefined>(
  defined: Operation<Kind, Schema, Result, Prepared>,
) {
  return defined
}

/**
 * Throws OperationError at the first field that does not match its schema, or is not in the schema: operations pass on
 * their input, and a misspelt field may have been meant to limit what they do.
 */
export function checkInput<Schema extends TObject>(schema: Schema, input: unknown): Static<Schema> {
  const strict = { ...schema, additionalProperties: false }
  if (Value.Check(strict, input)) return input
  const first = Value.Errors(strict, input).First()
  // Names of the fields in `/filter/model` and `/by/0`, without numbers.
  const field = first?.path.match(/[^/]*[^/\d][^/]*/g)?.join('.') ?? ''
  const isMissing = first?.type === ValueErrorType.ObjectRequiredProperty
  throw new OperationError({ code: 'invalid_input', field, rule: ruleOf(first), ...(isMissing && { isMissing }) })
}

function ruleOf(error: ValueError | undefined): string {
  if (error?.type === ValueErrorType.ObjectAdditionalProperties) return 'is not a field of this operation'
  return error?.schema.description ?? 'is not allowed'
}

/**
 * Returns the rows that a thread finds. Undefined if no thread searches, or if `before` is no row of the list: the
 * operation itself then reports that.
 */
export async function readAside<Row>(rows: Promise<readonly Row[]> | undefined): Promise<readonly Row[] | undefined> {
  return rows?.catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('no row ')) return undefined
    throw error
  })
}

/** Returns the running server's interface. Throws OperationError in a command's own process. */
export function runningServer({ server }: Pick<OperationServices, 'server'>): RunningServer {
  if (server === undefined) throw new OperationError({ code: 'no_server' })
  return server
}

/** Returns the result of `prepare` in the running server. Throws OperationError in a command's own process. */
export function ofServer<Prepared>(prepared: Prepared | undefined): Prepared {
  if (prepared === undefined) throw new OperationError({ code: 'no_server' })
  return prepared
}

/** Returns the actor that the audit log and the ledger name. */
export function actorOf(caller: OperationContext<'operator' | 'account'>['caller']): string {
  return caller.kind === 'operator' ? caller.actor : `account:${caller.accountId}`
}
