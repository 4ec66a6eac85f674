/** Progress events of an upload for the page that sends it, with the fake engine. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { ownerOf } from '../core/owner.ts'
import { nothingConsumed } from '../core/usage.ts'
import { DashboardClient } from '../testing/dashboard-client.ts'
import { recording } from '../testing/recording.ts'
import { startTestServer } from '../testing/test-server.ts'
import type { Progress } from '../wire/pages/progress.ts'
import { toProgress } from './dashboard/progress.ts'
import { UploadProgress } from './upload-progress.ts'

const server = startTestServer({
  models: {
    'test/ears': {
      manifest: {
        type: 'stt',
        capabilities: { diarization: true },
        transcriber: { kind: 'whisper', languages: ['en'] },
        pricing: { priceNanoUsd: 2_000_000, unit: 'minute' },
      },
    },
  },
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  await server.drained()
  expect(server.uploads.size).toBe(0)
})

const id = 'a'.repeat(32)

function member(balanceNanoUsd = 1_000_000_000) {
  const payer = server.payer(balanceNanoUsd)
  return { ...payer, browser: DashboardClient.signedIn(server, payer.accountId) }
}

type Member = ReturnType<typeof member>

function upload({ browser }: Pick<Member, 'browser'>, fields: Record<string, string> = {}, progressId = id) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'test/ears', prompt: 'one two', ...fields }))
    form.set(name, value)
  form.set('file', new File([recording(4)], 'recording.wav'))
  return fetch(`${server.url}/dashboard/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { origin: server.url, cookie: browser.cookie ?? '', 'x-progress-id': progressId },
    body: form,
  })
}

/** Opens the progress stream of an upload and waits for its first event. `rest` resolves with all events. */
async function follow({ browser }: Pick<Member, 'browser'>) {
  const leave = new AbortController()
  const response = await fetch(`${server.url}/dashboard/api/progress/${id}`, {
    headers: { cookie: browser.cookie ?? '' },
    signal: leave.signal,
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const more = async () => {
    const piece = await reader?.read()
    text += decoder.decode(piece?.value)
    return piece?.done !== true
  }
  await more()
  return {
    response,
    leave: () => leave.abort(),
    text: () => text,
    rest: async () => {
      while (await more());
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Progress)
    },
  }
}

const phasesOf = (events: readonly Progress[]) => [...new Set(events.map(({ phase }) => phase))]

test('the page hears of each phase, how far the recording is, and the end', async () => {
  const who = member()
  const stream = await follow(who)
  expect(stream.response.headers.get('content-type')).toStartWith('text/event-stream')
  expect(stream.text()).toContain('event: progress\ndata: {"phase":"waiting"')
  expect((await upload(who)).status).toBe(200)
  const events = await stream.rest()
  expect(events[0]).toEqual({ phase: 'waiting', done_s: 0, total_s: null, position: null })
  expect(events.at(-1)).toEqual({ phase: 'done', done_s: 4, total_s: 4, position: null })
})

test('a request that is refused ends in failed', async () => {
  const who = member()
  const stream = await follow(who)
  expect((await upload(who, { model: 'test/none' })).status).toBe(404)
  expect((await stream.rest()).at(-1)).toMatchObject({ phase: 'failed' })
})

test('another account that names the same id hears nothing', async () => {
  const [ada, bob] = [member(), member()]
  const [own, foreign] = [await follow(ada), await follow(bob)]
  expect((await upload(ada)).status).toBe(200)
  expect(phasesOf(await own.rest()).at(-1)).toBe('done')
  expect(foreign.text().match(/"phase":"\w+"/g)).toEqual([`"phase":"waiting"`])
  foreign.leave()
})

test('a page that leaves before the upload comes leaves nothing behind', async () => {
  const stream = await follow(member())
  expect(server.uploads.size).toBe(1)
  stream.leave()
})

test('an upload that no page follows is answered all the same', async () => {
  expect((await upload(member())).status).toBe(200)
})

test.each(['short', 'x'.repeat(65), `${'a'.repeat(20)}!`])('the id %p is refused', async (wrong) => {
  const who = member()
  const answer = await upload(who, {}, wrong)
  expect({ status: answer.status, param: Object(await answer.json()).error.param }).toEqual({
    status: 400,
    param: 'x-progress-id',
  })
  expect((await who.browser.send(`progress/${wrong}`)).status).toBe(400)
})

test.each([
  ['the end of other sessions', 'operations/sessions-end'],
  ['a sign-out', 'sign-out'],
])('%s ends its streams', async (_, path) => {
  const who = member()
  const stream = await follow(who)
  const isOwn = path === 'sign-out'
  const browser = isOwn ? who.browser : DashboardClient.signedIn(server, who.accountId)
  expect((await browser.send(path, { body: {} })).status).toBe(200)
  await stream.rest()
  expect(stream.text()).toContain('event: bye\ndata: {"reason":"signed_out"}')
})

test('the place in the queue is that of the account’s own request for the model, while it waits for it', () => {
  const waiting = (modelId: string, accountId: string, ahead: number) => ({ modelId, accountId, ahead, waitedMs: 1 })
  const queue = [waiting('a/b', 'acc_2', 0), waiting('c/d', 'acc_1', 0), waiting('a/b', 'acc_1', 3)]
  const state = {
    phase: 'queued',
    done_s: 0,
    total_s: 4,
    modelId: 'a/b',
    owner: ownerOf({ accountId: 'acc_1' }),
  } as const
  expect(toProgress(state, { queue })).toEqual({ phase: 'queued', done_s: 0, total_s: 4, position: 3 })
  expect(toProgress({ ...state, owner: ownerOf({ accountId: 'acc_3' }) }, { queue }).position).toBeNull()
  expect(toProgress({ ...state, phase: 'transcribing' }, { queue }).position).toBeNull()
})

describe('what a request tells', () => {
  const ann = ownerOf({ accountId: 'acc_1' })
  const audio = { path: '', sampleCount: 160_000 }

  function told(hasSpeakers: boolean) {
    const uploads = new UploadProgress()
    const phases: string[] = []
    uploads.listen(ann, id, ({ phase, done_s }) => phases.push(`${phase} ${done_s}`))
    const request = uploads.begin(ann, id)
    request?.decoding()
    request?.queued('a/b', audio, hasSpeakers)
    request?.heard({ type: 'start', promptTokens: 0, cachedTokens: 0 })
    request?.heard({ type: 'segment', text: 'x', startSeconds: 1, endSeconds: 6 })
    request?.heard({ type: 'language', language: 'en' })
    return { uploads, phases, request }
  }

  test('comes in order, with the speakers after the speech', () => {
    expect(told(true).phases).toEqual([
      ...['waiting 0', 'uploading 0', 'decoding 0', 'queued 0', 'transcribing 0', 'transcribing 6', 'speakers 6'],
    ])
    expect(told(false).phases.at(-1)).toBe('transcribing 6')
  })

  test('ends well only where the answer was complete', async () => {
    const broken = told(false)
    await broken.request?.[Symbol.asyncDispose]()
    expect(broken.phases.at(-1)).toBe('failed 6')
    const whole = told(false)
    whole.request?.heard({ type: 'finish', usage: { ...nothingConsumed, audioMs: 10_000 } })
    await whole.request?.[Symbol.asyncDispose]()
    expect(whole.phases.at(-1)).toBe('done 6')
  })

  test('is of one request at a time, and is forgotten with its last listener', async () => {
    const uploads = new UploadProgress()
    const first = uploads.begin(ann, id)
    expect(uploads.begin(ann, id)).toBeUndefined()
    expect(uploads.begin(ownerOf({ accountId: 'acc_2' }), id)).toBeDefined()
    const leave = uploads.listen(ann, id, () => undefined)
    await first?.[Symbol.asyncDispose]()
    expect(uploads.size).toBe(2)
    leave()
    expect(uploads.size).toBe(1)
  })
})
