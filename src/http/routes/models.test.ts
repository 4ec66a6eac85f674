import { expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'

const models = {
  'org/absent': { manifest: { aliases: [{ id: 'absent' }] }, status: { kind: 'available' } },
  'org/broken': { status: { kind: 'broken', reason: 'model.gguf is cut short' } },
  'org/here': {},
} as const

async function listedIds(address: string): Promise<string[]> {
  const list = (await (await fetch(address)).json()) as { data: { id: string }[] }
  return list.data.map(({ id }) => id)
}

test('the list holds the whole catalog, what can be used first', async () => {
  await using server = startTestServer({ models })
  const all = ['test/fake', 'fake', 'org/here', 'org/absent', 'absent', 'org/broken']
  expect(await listedIds(`${server.url}/v1/models`)).toEqual(all)
  expect(await listedIds(`${server.url}/openai/v1/models`)).toEqual(all)
})

test('the list can be limited to what is on this disk', async () => {
  await using server = startTestServer({ models, config: { listsOnlyInstalled: true } })
  const installed = ['test/fake', 'fake', 'org/here', 'org/broken']
  expect(await listedIds(`${server.url}/v1/models`)).toEqual(installed)
  expect(await listedIds(`${server.url}/openai/v1/models`)).toEqual(installed)
})
