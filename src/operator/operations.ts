import type { Static, TObject } from '@sinclair/typebox'
import { listAudit } from './audit.ts'
import { credit } from './credit.ts'
import { doctor } from './doctor.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { checkInput, type Operation, type OperatorContext } from './operation.ts'
import { listMails, openMail } from './outbox.ts'
import { receipt } from './receipt.ts'
import { reportUsage } from './usage.ts'
import { createUser, listUsers, setDisabled, setUnmetered, showUser } from './users.ts'
import { createVouchers, listVouchers, revokeVoucher } from './vouchers.ts'

/** Everything that the command line can have done to accounts and money, by the name it has on the control socket. */
export const operations = {
  'users-list': listUsers,
  'users-show': showUser,
  'users-create': createUser,
  'users-set-unmetered': setUnmetered,
  'users-set-disabled': setDisabled,
  'keys-create': createKey,
  'keys-list': listKeys,
  'keys-revoke': revokeKey,
  credit,
  'vouchers-create': createVouchers,
  'vouchers-list': listVouchers,
  'vouchers-revoke': revokeVoucher,
  'outbox-list': listMails,
  'outbox-open': openMail,
  usage: reportUsage,
  audit: listAudit,
  receipt,
  doctor,
}

export type OperationName = keyof typeof operations

/** What an operation takes; a field that may be left out may be undefined too. */
export type OperationInput<Name extends OperationName> = Loose<Static<(typeof operations)[Name]['input']>>

export type OperationResult<Name extends OperationName> = ReturnType<(typeof operations)[Name]['run']>

type Loose<Fields> = {
  readonly [Key in keyof Fields]: Fields[Key] | (object extends Pick<Fields, Key> ? undefined : never)
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name)
}

/** Throws InputError where the operation does not take this. */
export function checkOperationInput(name: OperationName, input: unknown): void {
  checkInput(operations[name].input, input)
}

/** Runs one, within the caller's transaction. Throws InputError, also for input that came over a socket, or OperationError. */
export function runOperation(context: OperatorContext, name: OperationName, input: unknown): unknown {
  const found: Operation<TObject, unknown> = operations[name]
  return found.run(context, checkInput(found.input, input))
}
