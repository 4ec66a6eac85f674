import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(() => {
  server = startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

function get(path: string, session?: string, cookie = 'inferd_session') {
  const headers = { origin: server.url, ...(session !== undefined && { cookie: `${cookie}=${session}` }) }
  return fetch(server.url + path, { headers })
}

test('an account downloads everything about itself, and nobody else does', async () => {
  const { accountId } = server.payer(5e9)
  const other = server.payer(7e9)
  const session = server.stores.sessions.begin(accountId)
  const response = await get('/dashboard/api/export', session)
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${accountId}.json"`)
  const text = await response.text()
  const { account, tables } = JSON.parse(text)
  expect(account).toBe(accountId)
  expect(tables.accounts).toMatchObject([{ id: accountId, balance: 5e9 }])
  expect(text).not.toContain(other.accountId)
  expect((await get('/dashboard/api/export')).status).toBe(401)
  expect((await get(`/admin/api/export?account=${accountId}`, session)).status).not.toBe(200)
})

test('an operator downloads everything about an account', async () => {
  const { accountId } = server.payer(5e9)
  const session = server.stores.sessions.begin(server.accountId, { hasRoleRights: true })
  const response = await get(`/admin/api/export?account=${accountId}`, session)
  expect(await response.json()).toMatchObject({ account: accountId, tables: { accounts: [{ balance: 5e9 }] } })
  expect((await get('/admin/api/export', session)).status).toBe(400)
  expect((await get('/admin/api/export?account=acc_none', session)).status).toBe(404)
  expect(server.stores.audit.list({ accountId }).map(({ actor, action }) => [actor, action])).toEqual([
    [`operator:${server.accountId}`, 'account.export'],
  ])
})
