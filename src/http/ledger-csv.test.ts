import { expect, test } from 'bun:test'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

async function csvOf({ url, stores, accountId }: TestServer, query = '') {
  const cookie = `inferd_session=${stores.sessions.begin(accountId, { hasRoleRights: true })}`
  const response = await fetch(`${url}/admin/api/ledger${query}`, { headers: { cookie } })
  const text = await response.text()
  return { status: response.status, name: response.headers.get('content-disposition'), text, lines: text.split('\r\n') }
}

test('the ledger of all accounts comes as CSV, whole and exact, or that of an account or of a kind', async () => {
  await using server = startTestServer()
  const [ada, bob] = [server.payer(0), server.payer(0)]
  const { ledger } = server.stores
  for (let index = 0; index < 1_000; index++) {
    ledger.append({ accountId: bob.accountId, kind: 'credit', amountNanoUsd: 1, actor: 'cli:root' })
  }
  const gift = { memo: '=gift, "spring"', actor: 'cli:root' }
  ledger.append({ accountId: ada.accountId, kind: 'credit', amountNanoUsd: 20_000_000_001, ...gift })
  ledger.append({ accountId: ada.accountId, kind: 'adjustment', amountNanoUsd: -500_000_000, actor: 'cli:root' })

  const all = await csvOf(server)
  expect(all.name).toBe('attachment; filename="ledger.csv"')
  const [head, taken, given, ...rest] = all.lines
  expect(head).toBe('created,account,kind,amount_usd,balance_after_usd,actor,request_id,voucher_id,memo')
  expect(taken).toEndWith(`Z,${ada.accountId},adjustment,-0.5,19.500000001,cli:root,,,`)
  expect(given).toEndWith(`,credit,20.000000001,20.000000001,cli:root,,,"'=gift, ""spring"""`)
  expect(rest.filter((line) => line.includes(bob.accountId))).toHaveLength(1_000)
  expect(new Set(all.lines.map((line) => line.split(',')[4])).size).toBe(1_004)

  const ofAda = await csvOf(server, `?account=${ada.accountId}`)
  expect(ofAda.lines.slice(1, -1).every((line) => line.includes(ada.accountId))).toBe(true)
  const taking = await csvOf(server, '?kind=adjustment')
  expect(taking).toMatchObject({ name: 'attachment; filename="ledger-adjustment.csv"', lines: [head, taken, ''] })
  expect(await csvOf(server, '?kind=voucher')).toMatchObject({ status: 200, lines: [head, ''] })
})

test('an unknown account or kind is an error, not an empty file', async () => {
  await using server = startTestServer()
  expect(await csvOf(server, '?account=acc_nobody')).toMatchObject({ status: 404, name: null })
  expect(await csvOf(server, '?kind=gift')).toMatchObject({ status: 400, text: expect.stringContaining('adjustment') })
})
