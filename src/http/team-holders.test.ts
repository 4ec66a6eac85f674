import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
const { stores } = server
afterAll(() => server[Symbol.asyncDispose]())

/** A team with money and two members, each with a key of the team. */
function openTeam() {
  const team = stores.accounts.createTeam('Research', 'cli:test')
  stores.ledger.append({ accountId: team, kind: 'credit', amountNanoUsd: 1e9, actor: 'cli:test' })
  const member = () => {
    const { accountId } = server.payer(0)
    stores.teams.join(team, accountId, { role: 'member', source: 'hand' })
    return { accountId, key: stores.keys.create({ accountId: team, holderId: accountId, name: 'x' }).key }
  }
  return { team, ada: member(), bob: member() }
}

async function ask(key: string, path: string, body?: object) {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any answer
  return { status: response.status, json: (await response.json()) as any }
}

const script = JSON.stringify({ script: [{ text: 'hello' }] })

test('requests are recorded for the team, and holders of its keys find nothing of each other', async () => {
  const { team, ada, bob } = openTeam()
  const first = await ask(ada.key, '/v1/responses', { model: 'test/fake', input: script })
  expect(first.status).toBe(200)
  expect(stores.usage.list({ accountId: team })).toHaveLength(1)
  const [item] = first.json.output
  const follow = (key: string) => {
    const input = [
      { type: 'item_reference', id: item.id },
      { role: 'user', content: script },
    ]
    return ask(key, '/v1/responses', { model: 'test/fake', input })
  }
  expect((await follow(ada.key)).status).toBe(200)
  expect(await follow(bob.key)).toMatchObject({
    status: 400,
    json: { error: { message: expect.stringContaining(item.id) } },
  })
  const requests = async (key: string) => (await ask(key, '/v1/account', undefined)).json
  expect(JSON.stringify(await requests(bob.key))).not.toContain('test/fake')
  expect(JSON.stringify(await requests(ada.key))).toContain('test/fake')
  expect(stores.checkIntegrity().problems).toEqual([])
})
