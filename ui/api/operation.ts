/** Operations of the server's own table, with its types. `perform` and `useResult` are the operator's. */
import type { OperationJson } from '../../src/operations/money-text.ts'
import type { OperationInput, OperationName, OperationNameFor } from '../../src/operations/operations.ts'
import { type RequestOptions, request } from './request.ts'
import { type Answer, type AnswerOptions, useLoaded } from './use-answer.ts'

type OperatorOperation = OperationNameFor<'operator'>

type OperatorAnswers = { readonly [Name in OperatorOperation]: OperationJson<Name> }

export type OperationOptions = Pick<RequestOptions, 'signal' | 'isForGuests'>

/**
 * Returns the functions by which pages perform the operations at an address. `Answers` has the JSON of their results.
 */
export function operationsAt<Answers>(path: string) {
  type Name = keyof Answers & OperationName

  /** Performs an operation and returns its result. Rejects with RequestFailure. */
  async function perform<Called extends Name>(
    name: Called,
    input: OperationInput<Called>,
    options: OperationOptions = {},
  ): Promise<Answers[Called]> {
    const body = input as object
    const { result } = await request<{ result: Answers[Called] }>(`${path}/${name}`, {
      ...options,
      method: 'POST',
      body,
    })
    return result
  }

  /** Returns the result of an operation that reads. An undefined input sends no request. */
  function useResult<Called extends Name>(
    name: Called,
    input: OperationInput<Called> | undefined,
    options?: AnswerOptions,
  ): Answer<Answers[Called]> {
    const key = input === undefined ? undefined : `${name} ${JSON.stringify(input)}`
    return useLoaded(key, (signal) => perform(name, input as OperationInput<Called>, { signal }), options)
  }

  return { perform, useResult }
}

export const { perform, useResult } = operationsAt<OperatorAnswers>('/admin/api/operations')

export type Rows<Name extends OperatorOperation> = OperationJson<Name> extends readonly (infer Row)[] ? Row : never
