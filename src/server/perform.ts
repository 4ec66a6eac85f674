import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { errorText } from '../core/error-text.ts'
import { storageReason } from '../core/errors.ts'
import type { OperationServices } from '../operations/operation.ts'
import { isDoneByServer, isOperation, perform as performOperation } from '../operations/operations.ts'
import { OperationError, type Problem } from '../operations/problem.ts'

/** Request of a command to the server of its data folder. */
const operationRequest = Type.Object({
  /** Version of the command's program. Another version may define the operation differently. */
  version: Type.String(),
  /** Caller. Trusted, because only the folder's owner can open the socket. */
  actor: Type.String({ pattern: '^cli:[^\\s:]{1,64}$' }),
  input: Type.Unknown(),
})
export type OperationRequest = Static<typeof operationRequest>

export type OperationReply =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'other-version'; readonly version: string }

/** Services of the server that its command line uses. */
interface CommandServices extends OperationServices {
  readonly version: string
  /** Address for links, without path. */
  readonly baseUrl: string
  /** Address for links to the operator's pages. Undefined if these are off. */
  readonly adminUrl?: string | undefined
}

/** Performs a command's operation in the running server, which is the writer of the database. Never rejects. */
export async function perform(services: CommandServices, name: string, request: unknown): Promise<OperationReply> {
  const { version, baseUrl, adminUrl } = services
  if (!Value.Check(operationRequest, request) || request.version !== version) return { kind: 'other-version', version }
  if (!isOperation(name) || !isDoneByServer(name)) {
    return { kind: 'failed', message: `the server does no operation "${name}"` }
  }
  const { actor, input } = request
  try {
    const caller = { kind: 'operator', actor, baseUrl, adminUrl } as const
    return { kind: 'done', result: await performOperation(services, caller, { name, input }) }
  } catch (error) {
    if (error instanceof OperationError) return { kind: 'refused', problem: error.problem }
    return { kind: 'failed', message: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  const reason = storageReason(error)
  if (reason !== undefined) return `nothing was changed: the server cannot write its database: ${reason}`
  return errorText(error)
}
