import { expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

test('a model is listed while it is loaded, with the requests that wait for it, and once it is ready', async () => {
  await using server = startTestServer({ models: { 'test/slow': {} } })
  const browser = DashboardClient.signedIn(server, server.payer(0).accountId)
  const loading = async () => (await browser.send('models/loading')).json
  expect(await loading()).toEqual({ object: 'list', data: [] })
  const answer = server.post('/v1/chat/completions', {
    model: 'test/slow',
    messages: [{ role: 'user', content: 'one' }],
  })
  let data = (await loading()).data
  while (data.length === 0) data = (await loading()).data
  expect(data[0]).toMatchObject({ model: 'test/slow', waiting: expect.any(Number) })
  expect((await answer).status).toBe(200)
  expect((await loading()).data).toEqual([
    { model: 'test/slow', state: 'ready', progress: null, since: null, waiting: 0 },
  ])
})
