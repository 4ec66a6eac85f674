import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { answerOperation } from './answer-operation.ts'

test('a command hears why the server cannot write its database', async () => {
  using books = openTestAccounts()
  books.database.run('PRAGMA query_only = ON')
  const server = { ...books.services, version: '1', baseUrl: 'http://localhost' }
  const request = { version: '1', actor: 'cli:ada', input: { email: 'ada@example.org', isUnmetered: false } }
  expect(await answerOperation(server, 'accounts-create', request)).toEqual({
    kind: 'failed',
    message: 'nothing was changed: the server cannot write its database: it is read-only',
  })
})
