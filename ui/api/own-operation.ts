/** Operations of the account that is signed in, on itself. */
import type { AccountAnswers, AccountOperation } from '../../src/operations/account-answers.ts'
import { operationsAt } from './operation.ts'

export const { perform, useResult } = operationsAt<AccountAnswers>('/dashboard/api/operations')

export type OwnRow<Name extends AccountOperation> = AccountAnswers[Name] extends readonly (infer Row)[] ? Row : never
