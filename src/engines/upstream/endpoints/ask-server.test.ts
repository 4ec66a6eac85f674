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

test('another inferd, which lists its models to everybody, is asked about the key too', async () => {
  const account = (request: Request) => new Response('{}', { status: request.headers.has('authorization') ? 200 : 401 })
  using server = Bun.serve({
    port: 0,
    fetch: (request) =>
      request.url.endsWith('/models')
        ? Response.json({ data: [{ id: 'there', context_length: 4_096 }] })
        : account(request),
  })
  const ask = (key: string | undefined) =>
    serverQuestions({ flavor: 'inferd', model: 'there', key }).model(`http://127.0.0.1:${server.port}/v1`, signal)
  expect(await ask('valid')).toEqual({ kind: 'has', contextTokens: 4_096 })
  expect(await ask(undefined)).toEqual({ kind: 'refuses', status: 401 })
})

test('a server that answers these questions oddly works all the same, and one with a 5xx does not', async () => {
  const answers: Record<string, () => Response> = {
    '/html': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    '/moved': () => Response.redirect('http://127.0.0.1:9/'),
    '/absent': () => new Response('no such page', { status: 404 }),
    '/busy': () => new Response('too many', { status: 429 }),
    '/broken': () => new Response('loading', { status: 503 }),
  }
  using server = Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      (answers[`/${new URL(url).pathname.split('/')[1]}`] ?? answers['/absent'])?.() ?? new Response(),
  })
  const { model, health } = serverQuestions({ flavor: 'openai', model: 'm', key: undefined })
  for (const path of ['html', 'moved', 'absent', 'busy']) {
    const url = `http://127.0.0.1:${server.port}/${path}`
    expect({ path, answer: await model(url, signal) }).toEqual({ path, answer: { kind: 'no-list' } })
    await health(url, signal)
  }
  const broken = `http://127.0.0.1:${server.port}/broken`
  expect(await model(broken, signal)).toMatchObject({ kind: 'silent' })
  await expect(health(broken, signal)).rejects.toThrow('503')
})

test('the context of the training counts where nothing else is told', () => {
  const meta = { n_ctx_train: 131_072 }
  expect(readModels({ data: [{ id: 'm', meta }] }, 'm')).toEqual({ kind: 'has', contextTokens: 131_072 })
  const told = { id: 'm', meta: { ...meta, n_ctx: 2_048 } }
  expect(readModels({ data: [told] }, 'm')).toEqual({ kind: 'has', contextTokens: 2_048 })
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
