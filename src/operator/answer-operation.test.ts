import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { answerOperation } from './answer-operation.ts'

test('a command hears why the server cannot write its database', async () => {
  using books = openTestAccounts()
  books.database.run('PRAGMA query_only = ON')
  const server = { stores: books.stores, version: '1', baseUrl: 'http://localhost', clock: () => 0 }
  const request = { version: '1', actor: 'cli:ada', input: { email: 'ada@example.org' } }
  expect(await answerOperation(server, 'users-create', request)).toEqual({
    kind: 'failed',
    message: 'nothing was changed: the server cannot write its database: it is read-only',
  })
})
