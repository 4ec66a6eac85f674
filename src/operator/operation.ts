import type { Static, TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Stores } from '../stores.ts'
import { InputError } from './errors.ts'

/** What an operation works with, in the server or in the command's own process. */
export interface OperatorContext {
  readonly stores: Stores
  /** `cli:<user>`. */
  readonly actor: string
  /** Address of the server for links, without path. */
  readonly baseUrl: string
  /** Milliseconds UTC. */
  readonly clock: () => number
}

/**
 * Something that the command line does to accounts and money. `write`: inside the running server, or alone; `read`: also
 * beside it. `run` is synchronous and runs within one transaction; it throws InputError or OperationError.
 */
export interface Operation<Schema extends TObject, Result> {
  readonly kind: 'read' | 'write'
  /** Of each field the description says, as a whole sentence, what is allowed. */
  readonly input: Schema
  run(context: OperatorContext, input: Static<Schema>): Result
}

/** The operation as it is, with its types found out. */
export function operation<Schema extends TObject, Result>(defined: Operation<Schema, Result>) {
  return defined
}

/** Throws InputError at the first field that is not as its schema says. */
export function checkInput<Schema extends TObject>(schema: Schema, input: unknown): Static<Schema> {
  if (Value.Check(schema, input)) return input
  const first = Value.Errors(schema, input).First()
  throw new InputError(first?.schema.description ?? `wrong input at "${first?.path}"`)
}
