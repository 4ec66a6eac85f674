import { afterAll, expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

test('sessions are listed with where they are used, and ended one by one or all but this one', async () => {
  const { accountId } = server.payer(0)
  const [desk, phone, cafe] = [1, 2, 3].map(() => DashboardClient.signedIn(server, accountId))
  if (desk === undefined || phone === undefined || cafe === undefined) throw new Error('there are three')
  const listed = async () => (await desk.perform('sessions-list')).result
  const own = (await listed()).find((session: { isCurrent: boolean }) => session.isCurrent)
  expect(own).toMatchObject({ role: 'member', id: expect.stringMatching(/^ses_/), createdMs: expect.any(Number) })
  expect(await listed()).toHaveLength(3)
  const phones = (await phone.perform('sessions-list')).result
  const { id } = phones.find((session: { isCurrent: boolean }) => session.isCurrent)
  expect((await desk.perform('sessions-end', { session: id })).result).toEqual({ ended: 1 })
  expect((await phone.perform('accounts-show-own')).status).toBe(401)
  expect((await desk.perform('sessions-end')).result).toEqual({ ended: 1 })
  expect((await cafe.perform('accounts-show-own')).status).toBe(401)
  expect(await listed()).toHaveLength(1)
})

test('a session of another account is as unknown as one that never was', async () => {
  const [ada, bob] = [server.payer(0), server.payer(0)].map(({ accountId }) =>
    DashboardClient.signedIn(server, accountId),
  )
  const [{ id }] = (await bob?.perform('sessions-list'))?.result ?? [{}]
  for (const name of [id, 'ses_none']) {
    const answer = await ada?.perform('sessions-end', { session: name })
    expect(answer).toMatchObject({ status: 404, json: { error: { code: 'session_not_found' } } })
  }
  expect((await bob?.perform('accounts-show-own'))?.status).toBe(200)
})

test('names are changed, of the account and of a key', async () => {
  const { accountId, keyId } = server.payer(0)
  const browser = DashboardClient.signedIn(server, accountId)
  const named = { name: 'Ada L.' }
  expect((await browser.perform('accounts-rename-own', named)).result).toEqual(named)
  const renamed = await browser.perform('keys-rename', { key: keyId, ...named })
  expect(renamed.result).toEqual({ id: keyId, ...named })
  expect((await browser.perform('accounts-show-own')).result.account.name).toBe('Ada L.')
  expect((await browser.perform('keys-list')).result[0].name).toBe('Ada L.')
  for (const wrong of [{}, { name: '' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }]) {
    expect((await browser.perform('accounts-rename-own', wrong)).status).toBe(400)
    expect((await browser.perform('keys-rename', { key: keyId, ...wrong })).status).toBe(400)
  }
  const actions = server.stores.audit.list({ accountId }).map(({ action }) => action)
  expect(actions).toEqual(['key.rename', 'account.rename'])
})
