import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { isForRole, type OperationName, operations } from './operations.ts'

/** Reads of operators that auditors may not do, each with its reason */
const closed: Readonly<Record<string, string>> = {
  'accounts-export-rows': 'begins with an audit row of the export',
  'models-find': 'probes any path of the disk',
  'receivers-check': 'asks other systems',
  'hub-search': 'asks the hub',
  'hub-files': 'asks the hub',
  'models-pull-preview': 'asks the source',
  doctor: 'asks other servers and replaces the latest findings',
  diagnosis: 'runs the doctor',
}
const names = Object.keys(operations) as OperationName[]
const ofStaff = names.filter((name) => (operations[name].callers as readonly string[]).includes('operator'))

test('auditors may do every read of the operators, but for those with a reason', () => {
  const reads = ofStaff.filter((name) => operations[name].kind === 'read' && name in closed === false)
  expect(reads.filter((name) => !isForRole('auditor', name))).toEqual([])
  expect(Object.keys(closed).filter((name) => isForRole('auditor', name as OperationName))).toEqual([])
})

test('auditors write nothing, and treasurers nothing but money', () => {
  const writes = ofStaff.filter((name) => operations[name].kind === 'write')
  expect(writes.filter((name) => isForRole('auditor', name))).toEqual([])
  const written = writes.filter((name) => isForRole('treasurer', name))
  expect(written.sort()).toEqual(['ledger-credit', 'limits-set', 'vouchers-create', 'vouchers-revoke'])
})

test('operators may do everything of the staff', () => {
  expect(ofStaff.filter((name) => !isForRole('operator', name))).toEqual([])
})

test('an operator by groups never becomes the operator’s own account, whose role stays', () => {
  using books = openTestAccounts()
  const { accounts } = books.stores
  const { accountId } = books.account(0)
  expect(accounts.setRole(accountId, 'operator', 'groups')).toBe(true)
  expect(accounts.ensureOperator().id).not.toBe(accountId)
  expect(accounts.setRole(accountId, 'member', 'groups')).toBe(true)
})
