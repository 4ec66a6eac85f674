import { afterAll, expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

test('sessions are listed with where they are used, and ended one by one or all but this one', async () => {
  const { accountId } = server.payer(0)
  const [desk, phone, cafe] = [1, 2, 3].map(() => DashboardClient.signedIn(server, accountId))
  if (desk === undefined || phone === undefined || cafe === undefined) throw new Error('there are three')
  const listed = async () => (await desk.send('sessions')).json.data
  const own = (await listed()).find((session: { is_current: boolean }) => session.is_current)
  expect(own).toMatchObject({ is_operator: false, id: expect.stringMatching(/^ses_/), created: expect.any(String) })
  expect(await listed()).toHaveLength(3)
  const phones = (await phone.send('sessions')).json.data
  const { id } = phones.find((session: { is_current: boolean }) => session.is_current)
  expect((await desk.send(`sessions/${id}`, { method: 'DELETE' })).json).toEqual({ ended: 1 })
  expect((await phone.send('me')).status).toBe(401)
  expect((await desk.send('sessions', { method: 'DELETE' })).json).toEqual({ ended: 1 })
  expect((await cafe.send('me')).status).toBe(401)
  expect(await listed()).toHaveLength(1)
})

test('a session of another account is as unknown as one that never was', async () => {
  const [ada, bob] = [server.payer(0), server.payer(0)].map(({ accountId }) =>
    DashboardClient.signedIn(server, accountId),
  )
  const [{ id }] = (await bob?.send('sessions'))?.json.data ?? [{}]
  for (const name of [id, 'ses_none']) {
    const answer = await ada?.send(`sessions/${name}`, { method: 'DELETE' })
    expect(answer).toMatchObject({ status: 404, json: { error: { code: 'session_not_found' } } })
  }
  expect((await bob?.send('me'))?.status).toBe(200)
})

test('names are changed, of the account and of a key', async () => {
  const { accountId, keyId } = server.payer(0)
  const browser = DashboardClient.signedIn(server, accountId)
  const body = { name: 'Ada L.' }
  expect((await browser.send('me', { method: 'PATCH', body })).json).toEqual(body)
  expect((await browser.send(`keys/${keyId}`, { method: 'PATCH', body })).json).toEqual({ id: keyId, ...body })
  expect((await browser.send('me')).json.name).toBe('Ada L.')
  expect((await browser.send('keys')).json.data[0].name).toBe('Ada L.')
  for (const wrong of [{}, { name: '' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }]) {
    expect((await browser.send('me', { method: 'PATCH', body: wrong })).status).toBe(400)
    expect((await browser.send(`keys/${keyId}`, { method: 'PATCH', body: wrong })).status).toBe(400)
  }
  const actions = server.stores.audit.list({ accountId }).map(({ action }) => action)
  expect(actions).toEqual(['key.rename', 'account.rename'])
})
