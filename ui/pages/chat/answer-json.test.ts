import { expect, test } from 'bun:test'
import { readAnswer, writeAnswer } from './answer-json.ts'

const receipt = {
  ...{ request_id: 'r1', finish: 'stop', estimated: false, cost_usd: '0.000011', charged_usd: '-0.5' },
  ...{ prompt_tokens: 5, cached_tokens: 0, completion_tokens: 3, reasoning_tokens: 2, characters: 0 },
  ...{ audio_seconds: 1.5, queued_ms: null, loading_ms: 7, first_output_ms: 8, running_ms: 9 },
}
const failure = { message: 'The engine stopped.', status: 500, code: 'engine_failed', requestId: 'r1' }
const step = {
  ...{ state: 'failed', text: 'Half', reasoning: 'why', thought_ms: 12, request_id: 'r1', receipt, failure },
  calls: [{ id: 'c1', name: 'get_time', arguments: '{}', result: 'noon' }],
}

/** Returns the only step of an answer that was read and written again. */
function again(given: object): object | undefined {
  const answer = readAnswer({ model: 'm', steps: [given] })
  return answer && JSON.parse(JSON.stringify(writeAnswer(answer))).steps[0]
}

test('an answer comes back whole, with its calls, receipt and failure', () => {
  expect(again(step)).toEqual(step)
  expect(readAnswer(null)).toBeUndefined()
})

test('an unfinished answer is stopped unless another tab still writes it, and an unknown state is complete', () => {
  const stateOf = (state: string, isGrowing = false) =>
    readAnswer({ model: 'm', steps: [{ state }] }, isGrowing)?.steps[0]?.state.value
  expect(stateOf('streaming')).toBe('stopped')
  expect(stateOf('streaming', true)).toBe('elsewhere')
  expect(stateOf('stopped', true)).toBe('stopped')
  expect(stateOf('waiting')).toBe('complete')
})

test('a receipt is left out if any of its fields is missing, of another type or no amount', () => {
  const wrong = Object.keys(receipt).flatMap((name) => [{ [name]: undefined }, { [name]: {} }])
  for (const fields of [...wrong, { cost_usd: '1e3' }, { charged_usd: 'much' }, { running_ms: '9' }])
    expect(again({ ...step, receipt: { ...receipt, ...fields } })).not.toHaveProperty('receipt')
})
