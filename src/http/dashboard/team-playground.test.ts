import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const server = startTestServer({ models: { 'test/paid': { manifest: { pricing } } } })
const { stores } = server
afterAll(() => server[Symbol.asyncDispose]())

/** A team with money and a member without, who is signed in. */
function openTeam() {
  const team = stores.accounts.createTeam('Research', 'cli:test')
  stores.ledger.append({ accountId: team, kind: 'credit', amountNanoUsd: 1e9, actor: 'cli:test' })
  const { accountId } = server.payer(0)
  const join = () => stores.teams.join(team, accountId, { role: 'member', source: 'hand' })
  join()
  const cookie = `inferd_session=${stores.sessions.begin(accountId)}`
  const ask = async () => {
    const script = JSON.stringify({ script: [{ text: 'hello' }] })
    const response = await fetch(`${server.url}/dashboard/v1/chat/completions`, {
      method: 'POST',
      headers: { cookie, origin: server.url, 'content-type': 'application/json', 'x-pay-from': team },
      body: JSON.stringify({ model: 'test/paid', messages: [{ role: 'user', content: script }] }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any answer
    const { error } = (await response.json()) as any
    return { status: response.status, code: error?.code, message: error?.message }
  }
  return { team, accountId, join, ask }
}

test('a team pays in the playground until its member leaves, and again after a return', async () => {
  const { team, accountId, join, ask } = openTeam()
  expect(await ask()).toMatchObject({ status: 200 })
  expect(stores.usage.list({ accountId: team })).toHaveLength(1)
  stores.teams.leave(team, accountId, 'hand')
  expect(await ask()).toMatchObject({ status: 403, code: 'not_a_member' })
  join()
  expect(await ask()).toMatchObject({ status: 200 })
  expect(stores.checkIntegrity().problems).toEqual([])
})

test.each(['networks', 'endpoints', 'models'] as const)(
  "the member's own limit of %s binds where a team pays",
  async (name) => {
    const { accountId, ask } = openTeam()
    expect(await ask()).toMatchObject({ status: 200 })
    stores.limits.set(accountId, { [name]: name === 'networks' ? ['10.0.0.0/8'] : ['embeddings'] }, 'operator')
    expect(await ask()).toMatchObject({ status: 403 })
    stores.limits.set(accountId, { dailyNanoUsd: 0 }, 'operator')
    expect(await ask()).toMatchObject({ status: 402, code: 'budget_exceeded' })
  },
)

test('a disabled team pays for nothing in the playground', async () => {
  const { team, ask } = openTeam()
  expect(await ask()).toMatchObject({ status: 200 })
  stores.accounts.setDisabled(team, true)
  const message = 'The account that pays for this request is disabled. Its operator can enable it again.'
  expect(await ask()).toMatchObject({ status: 401, code: 'account_disabled', message })
})
