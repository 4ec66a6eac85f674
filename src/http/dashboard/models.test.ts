import { expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

test('a model is listed with the time of its load, while it is loaded with the requests that wait for it', async () => {
  await using server = startTestServer({
    models: { 'test/slow': {}, 'test/absent': { status: { kind: 'available' } } },
  })
  const browser = DashboardClient.signedIn(server, server.payer(0).accountId)
  const listed = async () => (await browser.perform('models-loading')).result
  const slow = async () => (await listed()).find(({ id }: { readonly id: string }) => id === 'test/slow')
  const stopped = { id: 'test/slow', state: 'stopped', loadedFraction: null, loadingSinceMs: null, waiting: 0 }
  expect(await slow()).toEqual({ ...stopped, loadMs: expect.any(Number) })
  expect((await listed()).map(({ id }: { readonly id: string }) => id)).toEqual(['test/fake', 'test/slow'])
  const answer = server.post('/v1/chat/completions', {
    model: 'test/slow',
    messages: [{ role: 'user', content: 'one' }],
  })
  let row = await slow()
  while (row.state === 'stopped') row = await slow()
  expect(row).toMatchObject({ id: 'test/slow', waiting: expect.any(Number) })
  expect((await answer).status).toBe(200)
  expect(await slow()).toEqual({ ...stopped, state: 'ready', loadMs: expect.any(Number) })
})

test('the measured time of a load replaces the guess by size', async () => {
  await using server = startTestServer()
  const key = { modelId: 'test/fake', files: 'v1', settings: {}, placement: 'gpu0', backend: 'fake 1' }
  server.stores.measuredMemory.record(key, { peakBytes: {}, overheadBytes: {}, loadMs: 12_345 })
  const browser = DashboardClient.signedIn(server, server.payer(0).accountId)
  expect((await browser.perform('models-loading')).result).toMatchObject([{ id: 'test/fake', loadMs: 12_345 }])
})
