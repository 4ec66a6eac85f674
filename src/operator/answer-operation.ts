import { storageReason } from '../core/storage-error.ts'
import type { Stores } from '../stores.ts'
import { InputError } from './errors.ts'
import { isOperation, operations, runOperation } from './operations.ts'

/** What a command sends to the server of its data folder. */
export interface OperationRequest {
  /** Of the command's program: another one may mean something else by the same name. */
  readonly version: string
  /** Who asks: `cli:<user>`. Whoever can open the socket is the folder's owner, and believed. */
  readonly actor: string
  readonly input: unknown
}

export type OperationReply =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'wrong-usage' | 'failed'; readonly message: string }
  | { readonly kind: 'other-version'; readonly version: string }

export interface AnsweringServer {
  readonly stores: Stores
  readonly version: string
  /** Address for links, without path. */
  readonly baseUrl: string
  readonly clock: () => number
}

/** Does what a command asks of the running server: the writer of the database. Never rejects. */
export async function answerOperation(
  server: AnsweringServer,
  name: string,
  request: unknown,
): Promise<OperationReply> {
  const { stores, version, baseUrl, clock } = server
  if (!isRequest(request) || request.version !== version) return { kind: 'other-version', version }
  if (!isOperation(name) || operations[name].kind !== 'write') {
    return { kind: 'failed', message: `the server does no operation "${name}"` }
  }
  const { actor, input } = request
  try {
    const result = await stores.commits.run(() => runOperation({ stores, baseUrl, clock, actor }, name, input))
    return { kind: 'done', result }
  } catch (error) {
    if (error instanceof InputError) return { kind: 'wrong-usage', message: error.message }
    return { kind: 'failed', message: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  const reason = storageReason(error)
  if (reason !== undefined) return `nothing was changed: the server cannot write its database: ${reason}`
  return error instanceof Error ? error.message : String(error)
}

function isRequest(value: unknown): value is OperationRequest {
  return (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    typeof value.version === 'string' &&
    'actor' in value &&
    typeof value.actor === 'string' &&
    /^cli:[^\s:]{1,64}$/.test(value.actor) &&
    'input' in value
  )
}
