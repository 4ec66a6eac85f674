import { expect, test } from 'bun:test'
import type { EndpointState } from '../../core/endpoint-state.ts'
import { endpointFindings } from './endpoint-check.ts'

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

test('nothing is said where no model is served by other servers, and one sentence where all are well', () => {
  expect(endpointFindings([])).toEqual([])
  expect(endpointFindings([good, good])).toMatchObject([{ verdict: 'ok' }])
})

test('a server that is down, lacks the model or is drained is found, with what to do', () => {
  const lastFailure = { atMs: 1, reason: 'the server cannot be reached' }
  expect(
    endpointFindings([
      good,
      { ...good, isSilent: true, lastFailure },
      { ...good, state: 'out-of-use', outOfUse: 'lacks it and has "c"' },
      { ...good, state: 'draining' },
    ]),
  ).toEqual([
    {
      verdict: 'bad',
      text: 'endpoint 10.0.0.5:8000 of model a/b does not work: the server cannot be reached',
      advice:
        "start the server there, or remove the endpoint from the model's manifest; 'inferd endpoints' shows whether requests go to it",
    },
    {
      verdict: 'bad',
      text: 'endpoint 10.0.0.5:8000 of model a/b gets no requests: it lacks it and has "c"',
      advice: "mend the server there, or the table [upstream] of the model's manifest",
    },
    {
      verdict: 'warn',
      text: 'endpoint 10.0.0.5:8000 of model a/b is drained',
      advice: "'inferd endpoints resume a/b 10.0.0.5:8000' lets requests in again",
    },
  ])
})
