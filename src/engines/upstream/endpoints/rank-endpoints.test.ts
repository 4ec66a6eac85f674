import { expect, test } from 'bun:test'
import { rankEndpoints } from './rank-endpoints.ts'

const endpoints = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ url: `http://10.0.0.${name}:8000/v1` }))
const requests = Array.from({ length: 10_000 }, (_, index) => ({
  account: `acc_${index % 100}`,
  prompt: `Conversation ${index} begins.`,
}))

function firsts(of: typeof endpoints): string[] {
  return requests.map(({ account, prompt }) => rankEndpoints(of, account, prompt)[0]?.url ?? '')
}

test('each endpoint is first with an equal share', () => {
  const counts = Object.values(Object.groupBy(firsts(endpoints), (url) => url)).map((each) => each?.length ?? 0)
  for (const count of counts) expect(count).toBeWithin(1_800, 2_200)
})

test('an endpoint that is removed moves its own requests alone, and evenly', () => {
  const [gone, ...others] = endpoints
  const before = firsts(endpoints)
  const later = firsts(others)
  const moved = later.filter((url, index) => url !== before[index])
  expect(moved).toHaveLength(before.filter((url) => url === gone?.url).length)
  for (const { url } of others) expect(moved.filter((each) => each === url).length).toBeWithin(400, 600)
})

test('account and beginning decide; what comes after 2,048 characters does not', () => {
  const long = 'x'.repeat(2_048)
  const order = (account: string, prompt: string) => rankEndpoints(endpoints, account, prompt).map(({ url }) => url)
  expect(order('a', `${long}1`)).toEqual(order('a', `${long}2`))
  const orders = (pairs: [string, string][]) => new Set(pairs.map(([account, prompt]) => order(account, prompt).join()))
  expect(orders(requests.slice(0, 30).map(({ account }) => [account, long])).size).toBeGreaterThan(10)
  expect(orders(requests.slice(0, 30).map(({ prompt }) => ['a', prompt])).size).toBeGreaterThan(10)
})
