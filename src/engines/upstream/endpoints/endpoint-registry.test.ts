import { expect, test } from 'bun:test'
import type { UpstreamServers } from '../../../core/upstream.ts'
import { ManualClock } from '../../../testing/manual-clock.ts'
import { EndpointRegistry } from './endpoint-registry.ts'

const [one, two, three] = ['http://10.0.0.1/v1', 'http://10.0.0.2/v1', 'http://10.0.0.3/v1']
const { signal } = new AbortController()
const asked = { accountId: 'a', prefix: '', without: new Set<string>(), signal }

function serversAt(...endpoints: string[]): UpstreamServers {
  return { flavor: 'vllm', model: 'there', endpoints, maxConcurrent: 4 }
}

test('what is known of an endpoint, and that it is drained, outlives a load; one that is not named any more is forgotten', async () => {
  const registry = new EndpointRegistry({ clock: new ManualClock(), waitLimitMs: 30_000, log: () => undefined })
  const servers = serversAt(one, two)
  registry.setDraining('m', servers, one, true)
  const first = registry.open('m', servers, undefined)
  const place = await first.take(asked)
  expect(place.url).toBe(two)
  place.release('served')
  first.close()
  const later = serversAt(one, two, three)
  const second = registry.open('m', later, undefined)
  expect(registry.status('m', later)).toMatchObject([
    { url: one, state: 'draining' },
    { url: two, state: 'closed', served: 1 },
    { url: three, served: 0 },
  ])
  const old = await second.take({ ...asked, without: new Set([three]) })
  registry.open('m', serversAt(three), undefined)
  expect(registry.status('m', serversAt(three, two))).toMatchObject([
    { url: three },
    { url: two, outstanding: 0, served: 0 },
  ])
  old.release('served')
})

test('without a key nothing is asked, and the endpoints say why until the next load has one', () => {
  const registry = new EndpointRegistry({ clock: new ManualClock(), waitLimitMs: 30_000, log: () => undefined })
  const servers = serversAt(one)
  registry.noteNoKey('m', servers, 'the key file k is empty')
  expect(registry.status('m', servers)).toMatchObject([
    { state: 'out-of-use', outOfUse: 'is not asked, since the key file k is empty' },
  ])
  registry.open('m', servers, 'key')
  expect(registry.status('m', servers)).toMatchObject([{ state: 'closed', outOfUse: undefined }])
})

test('a refusal is told of as the last failure, and does not count as one', async () => {
  const registry = new EndpointRegistry({ clock: new ManualClock(), waitLimitMs: 30_000, log: () => undefined })
  const servers = serversAt(one)
  const endpoints = registry.open('m', servers, undefined)
  for (let times = 0; times < 5; times++) (await endpoints.take(asked)).release('refused', 'status 401')
  expect(registry.status('m', servers)).toMatchObject([
    { state: 'closed', failed: 0, refused: 5, isSilent: false, lastFailure: { reason: 'status 401' } },
  ])
})

test('a drain reaches those who wait', async () => {
  const registry = new EndpointRegistry({ clock: new ManualClock(), waitLimitMs: 30_000, log: () => undefined })
  const servers = { ...serversAt(one), maxConcurrent: 1 }
  const endpoints = registry.open('m', servers, undefined)
  const place = await endpoints.take(asked)
  const waiting = endpoints.take(asked)
  registry.setDraining('m', servers, one, true)
  await expect(waiting).rejects.toMatchObject({ code: 'model_unavailable' })
  place.release('served')
  await expect(endpoints.take(asked)).rejects.toMatchObject({ code: 'model_unavailable' })
  registry.setDraining('m', servers, one, false)
  expect((await endpoints.take(asked)).url).toBe(one)
})
