import type { AnswerContext } from '../wire/dialect.ts'

/** Returns the server's share of an answer, the same on every run: ids are counted, `call_1`, `call_2`, … */
export function answerContext(): AnswerContext {
  let ids = 0
  return {
    newId: (prefix) => `${prefix}${++ids}`,
    created: 1_700_000_000,
    now: () => 1_700_000_001,
    nowText: () => '2023-11-14T22:13:21.000Z',
    elapsedMs: () => 5,
    fingerprint: 'fp_test',
    modelId: 'org/model',
    requestId: 'req_test',
    docsUrl: (code) => `http://localhost/docs/errors#${code}`,
    repeatsReasoning: false,
    keepItem: () => undefined,
  }
}
