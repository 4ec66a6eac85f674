import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { perform } from './operations.ts'

test('a licence is accepted once, and the audit log says who did it', async () => {
  using books = openTestAccounts()
  const caller = { kind: 'operator', actor: 'cli:ada', baseUrl: '' } as const
  const call = (name: 'licenses-accept' | 'licenses-list', input: object) =>
    perform(books.services, caller, { name, input })
  const given = { license: 'LicenseRef-X', text: 'https://example.com/x', modelId: 'org/model' }
  expect(await call('licenses-accept', given)).toMatchObject({ isFirst: true })
  expect(await call('licenses-accept', { ...given, modelId: 'org/other' })).toMatchObject({ isFirst: false })
  expect(await call('licenses-accept', { ...given, text: `sha256:${'a'.repeat(64)}` })).toMatchObject({ isFirst: true })
  expect(await call('licenses-list', {})).toMatchObject([
    { ...given, actor: 'cli:ada' },
    { license: 'LicenseRef-X', text: `sha256:${'a'.repeat(64)}` },
  ])
  const details = { license: 'LicenseRef-X', model: 'org/model', text: 'https://example.com/x' }
  expect(books.stores.audit.list().at(-1)).toMatchObject({ actor: 'cli:ada', action: 'license.accept', details })
  expect(books.stores.audit.list()).toHaveLength(2)
})
