/** Operations of the operator's door with the types of the server's own table. */
import type { OperationJson } from '../../src/operations/money-text.ts'
import type { OperationInput, OperationNameFor } from '../../src/operations/operations.ts'
import { operate } from './request.ts'
import { type Answer, type AnswerOptions, useLoaded } from './use-answer.ts'

export type OperatorOperation = OperationNameFor<'operator'>

/** Has an operation done and gives its result. Rejects with RequestFailure. */
export function perform<Name extends OperatorOperation>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
): Promise<OperationJson<Name>> {
  return operate<OperationJson<Name>>(name, input as object, signal)
}

/** Returns the result of an operation that reads. Undefined input sends no request. */
export function useResult<Name extends OperatorOperation>(
  name: Name,
  input: OperationInput<Name> | undefined,
  options?: AnswerOptions,
): Answer<OperationJson<Name>> {
  const key = input === undefined ? undefined : `${name} ${JSON.stringify(input)}`
  return useLoaded(key, (signal) => perform(name, input as OperationInput<Name>, signal), options)
}

export type Rows<Name extends OperatorOperation> = OperationJson<Name> extends readonly (infer Row)[] ? Row : never
