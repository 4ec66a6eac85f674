/** Results of a check of servers for work other than chats. */
import { expect, test } from 'bun:test'
import type { ModelManifest } from '../../../core/model.ts'
import { moderationCategories } from '../../../core/moderation.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { testManifest } from '../../../testing/test-manifest.ts'
import { checkServers, lacksOf } from './check-servers.ts'

type Answers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

async function check(flavor: UpstreamFlavor, parts: Partial<ModelManifest>, answers: Answers) {
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const path = new URL(request.url).pathname.replace('/v1', '')
      if (path === '/models') return Response.json({ data: [{ id: 'served' }] })
      return answers[path]?.(request) ?? Response.json({ error: { message: 'Not Found' } }, { status: 404 })
    },
  })
  const servers = { flavor, model: 'served', endpoints: [`${server.url.origin}/v1`], maxConcurrent: 64 }
  const manifest: ModelManifest = { ...testManifest(), engine: 'upstream', ...parts, upstream: servers }
  const { signal } = new AbortController()
  const checked = await checkServers({ manifest, servers, key: undefined, limitMs: 5_000, signal })
  const results = checked[0]?.results.filter(({ probe }) => !aboutAll.includes(probe)) ?? []
  return { words: results.map(({ probe, word }) => `${probe}: ${word}`), results, lacks: lacksOf(checked) }
}

/** Rows of all model types. */
const aboutAll = ['reachable', 'key accepted', 'model listed', 'context']

const vectors = (length: number) => ({
  data: [0, 1].map((index) => ({ index, embedding: Array.from({ length }, () => 0.5) })),
  usage: { prompt_tokens: 2, total_tokens: 2 },
})

test('embeddings, their number of dimensions and their usage', async () => {
  const able = await check('sglang', { type: 'embedding' }, { '/embeddings': () => Response.json(vectors(4)) })
  expect(able.words).toEqual(['embeddings: yes', 'usage: yes'])
  expect(able.results[0]?.note).toBe('4 dimensions')
  const { usage, ...silent } = vectors(4)
  const uncounted = await check('sglang', { type: 'embedding' }, { '/embeddings': () => Response.json(silent) })
  expect(uncounted.words).toEqual(['embeddings: yes', 'usage: no'])
  const other = await check(
    'sglang',
    { type: 'embedding', dimensions: 8 },
    { '/embeddings': () => Response.json(vectors(4)) },
  )
  expect(other.words).toEqual(['embeddings: no', 'usage: not tried'])
  expect(other.results[0]?.note).toContain('vectors of 4 numbers, and the manifest says 8')
  const none = await check('llamacpp', { type: 'embedding' }, {})
  expect(none.results[0]).toMatchObject({ word: 'no', isPromised: true, advice: 'start it with --embeddings' })
})

test('scores', async () => {
  const results = [1, 0].map((index) => ({ index, relevance_score: index }))
  const able = await check(
    'vllm',
    { type: 'rerank' },
    { '/rerank': () => Response.json({ results, usage: { total_tokens: 9 } }) },
  )
  expect(able.words).toEqual(['scores: yes', 'usage: yes'])
  const none = await check('llamacpp', { type: 'rerank' }, {})
  expect(none.words).toEqual(['scores: no', 'usage: not tried'])
})

test('transcription, times of words and speakers', async () => {
  const transcribe = async (request: Request) => {
    const form = await request.formData()
    const wantsWords = form.getAll('timestamp_granularities[]').includes('word')
    if (wantsWords) return Response.json({ error: { message: 'no words here' } }, { status: 400 })
    return Response.json({ text: '', segments: [], language: 'english', duration: 1 })
  }
  const capabilities = { word_timestamps: true }
  const found = await check('openai', { type: 'stt', capabilities }, { '/audio/transcriptions': transcribe })
  expect(found.words).toEqual(['transcription: yes', 'times of words: no', 'speakers: not tried'])
  expect(found.lacks).toEqual(['words'])
})

test('speech', async () => {
  const spoken = () => new Response(new Uint8Array(4800), { headers: { 'content-type': 'audio/pcm' } })
  expect((await check('openai', { type: 'tts' }, { '/audio/speech': spoken })).words).toEqual(['speech: yes'])
  const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  expect((await check('openai', { type: 'tts' }, { '/audio/speech': page })).words).toEqual(['speech: no'])
})

test('pictures', async () => {
  const images = (picture: object) => ({ '/images/generations': () => Response.json({ data: [picture] }) })
  expect((await check('vllm', { type: 'image' }, images({ b64_json: 'iVBORw0KGgoA' }))).words).toEqual([
    'pictures: yes',
  ])
  const none = await check('vllm', { type: 'image' }, images({ url: 'http://a.example/1.png' }))
  expect(none.words).toEqual(['pictures: no'])
})

test('verdicts', async () => {
  const named = <Value>(value: Value) => Object.fromEntries(moderationCategories.map((name) => [name, value]))
  const result = { flagged: false, categories: named(false), category_scores: named(0) }
  const answers = { '/moderations': () => Response.json({ results: [result] }) }
  expect((await check('openai', { type: 'moderation' }, answers)).words).toEqual(['verdicts: yes'])
  expect((await check('openai', { type: 'moderation' }, {})).words).toEqual(['verdicts: no'])
})
