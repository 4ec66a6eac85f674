import { expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

test('a model is listed while it is loaded, with the requests that wait for it, and once it is ready', async () => {
  await using server = startTestServer({ models: { 'test/slow': {} } })
  const browser = DashboardClient.signedIn(server, server.payer(0).accountId)
  const loading = async () => (await browser.perform('models-loading')).result
  expect(await loading()).toEqual([])
  const answer = server.post('/v1/chat/completions', {
    model: 'test/slow',
    messages: [{ role: 'user', content: 'one' }],
  })
  let data = await loading()
  while (data.length === 0) data = await loading()
  expect(data[0]).toMatchObject({ id: 'test/slow', waiting: expect.any(Number) })
  expect((await answer).status).toBe(200)
  expect(await loading()).toEqual([
    { id: 'test/slow', state: 'ready', loadedFraction: null, loadingSinceMs: null, waiting: 0 },
  ])
})
