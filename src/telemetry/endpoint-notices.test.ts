import { expect, test } from 'bun:test'
import type { EndpointState } from '../core/endpoint-state.ts'
import { endpointNotices } from './standing-notices.ts'

const good: EndpointState = {
  ...{
    model: 'a/b',
    url: 'http://10.0.0.5:8000/v1',
    state: 'closed',
    outstanding: 0,
    served: 7,
    failed: 0,
    refused: 0,
    neutral: 0,
  },
  ...{ lastFailure: undefined, retryInMs: undefined, outOfUse: undefined, contextTokens: 4_096, isSilent: false },
}
const down: EndpointState = {
  ...{ ...good, state: 'open', retryInMs: 5_000 },
  lastFailure: { atMs: 1, reason: 'nothing listens there' },
}
const link = '/admin/models/a/b'

test('nothing is said of servers that get requests, or that the operator drains', () => {
  expect(
    endpointNotices([good, { ...good, state: 'half-open', retryInMs: 0 }, { ...good, state: 'draining' }]),
  ).toEqual([])
})

test('one of several is a warning, all of them are a fault', () => {
  expect(endpointNotices([good, down])).toEqual([
    {
      ...{ code: 'upstream_endpoint', severity: 'warn', link },
      text: '1 of 2 endpoints of a/b cannot be used: 10.0.0.5:8000, nothing listens there.',
    },
  ])
  expect(endpointNotices([{ ...good, state: 'out-of-use', outOfUse: 'lacks it and has "c"' }])).toEqual([
    {
      ...{ code: 'upstream_endpoint', severity: 'bad', link },
      text: 'The endpoint of a/b cannot be used: 10.0.0.5:8000, lacks it and has "c".',
    },
  ])
})
