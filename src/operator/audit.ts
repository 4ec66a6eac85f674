import { Type } from '@sinclair/typebox'
import { accountReference, wholeNumber } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'

/** Who changed what about accounts, keys and money, the latest first. */
export const listAudit = operation({
  kind: 'read',
  input: Type.Object({
    account: Type.Optional(accountReference),
    limit: wholeNumber('--limit must be a whole number from 1 to 100000', { min: 1, max: 100_000 }),
  }),
  run: ({ stores }, { account, limit }) =>
    stores.audit.list({ limit, accountId: account === undefined ? undefined : findAccount(stores, account).id }),
})
