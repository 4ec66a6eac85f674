import { expect, test } from 'bun:test'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { startFakeUpstream } from '../../../testing/upstream/fake-upstream.ts'
import { readModels, serverQuestions } from './ask-server.ts'

const { signal } = new AbortController()

test.each<[UpstreamFlavor, number | undefined]>([
  ['vllm', 8_192],
  ['sglang', 8_192],
  ['llamacpp', 8_192],
  ['openai', undefined],
])('%s says whether it has the model, and what it takes', async (flavor, contextTokens) => {
  await using upstream = await startFakeUpstream({ flavor, model: 'there', key: 'secret', contextTokens: 8_192 })
  const ask = (model: string, key: string | undefined) =>
    serverQuestions({ flavor, model, key }).model(upstream.url, signal)
  expect(await ask('there', 'secret')).toEqual({ kind: 'has', contextTokens })
  expect(await ask('other', 'secret')).toEqual({ kind: 'lacks', ids: ['there'] })
  expect(await ask('there', 'wrong')).toEqual({ kind: 'refuses', status: 401 })
  await serverQuestions({ flavor, model: 'there', key: 'secret' }).health(upstream.url, signal)
  await upstream.stop()
  expect(await ask('there', 'secret')).toMatchObject({ kind: 'silent' })
  await expect(
    serverQuestions({ flavor, model: 'there', key: 'secret' }).health(upstream.url, signal),
  ).rejects.toThrow()
})

test('the context of the training counts where nothing else is told', () => {
  const row = { id: 'm', meta: { n_ctx_train: 131_072 } }
  expect(readModels({ data: [row] }, 'm')).toEqual({ kind: 'has', contextTokens: 131_072 })
})

test('odd lists are read without harm', () => {
  expect(readModels('<html>', 'm')).toEqual({ kind: 'no-list' })
  expect(readModels({ data: [null, 1, {}, { id: 7 }, { id: 'a\u001b[31m' }] }, 'm')).toEqual({
    kind: 'lacks',
    ids: ['a\\u001b[31m'],
  })
  expect(readModels({ data: [{ id: 'm', max_model_len: -1 }] }, 'm')).toEqual({ kind: 'has', contextTokens: undefined })
  expect(readModels({ data: [{ id: 'x', aliases: ['m'] }] }, 'm')).toMatchObject({ kind: 'has' })
})
