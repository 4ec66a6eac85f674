import { afterAll, expect, test } from 'bun:test'
import type { DeviceFigures } from '../../machine/device-figures.ts'
import { startTestServer } from '../../testing/test-server.ts'

const gpu: DeviceFigures = {
  id: 'gpu0',
  uuid: 'GPU-0',
  name: 'NVIDIA H200',
  kind: 'nvidia',
  totalBytes: 141e9,
  freeBytes: 100e9,
  loadPercent: 87,
  temperatureC: 61,
  powerW: 412.5,
  processBytes: new Map(),
}
/**
 * Time at which the clock stands still, so that no new second or hour without figures begins. Undefined lets it run.
 */
let stoppedAtMs: number | undefined
const server = startTestServer({
  clock: () => stoppedAtMs ?? Date.now(),
  sampleMachine: async () => ({
    devices: [gpu],
    host: { totalBytes: 64e9, freeBytes: 50e9 },
    processes: new Map(),
    ownBytes: 1e9,
    disk: { totalBytes: 1e12, freeBytes: 5e11 },
  }),
})
afterAll(() => server[Symbol.asyncDispose]())

server.stores.accounts.setPasswordHash(server.accountId, 'no hash')
const beginSession = () => server.stores.sessions.begin(server.accountId, { hasRoleRights: true })
const cookieOf = (session: string) => ({ cookie: `inferd_session=${session}` })

interface Event {
  readonly event: string
  readonly data: Record<string, unknown>
}

/** Opens the stream of these topics. */
async function follow(topics: string, session = beginSession()) {
  const response = await fetch(`${server.url}/admin/api/events?topics=${topics}`, { headers: cookieOf(session) })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('an answer without a body')
  let text = ''
  const events: Event[] = []
  /** Resolves with the first event, from now on or before, for which `isWanted` holds. */
  const until = async (isWanted: (event: Event) => boolean): Promise<Event> => {
    for (let found = events.find(isWanted); ; found = events.find(isWanted)) {
      if (found !== undefined) return found
      const { value, done } = await reader.read()
      if (done) throw new Error(`the stream ended after ${text}`)
      text += value
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
        expect(frame.length).toBeLessThan(4_096)
        if (event !== '') events.push({ event, data: Object(JSON.parse(data)) })
      }
    }
  }
  return { response, until, close: () => reader.cancel() }
}

test('a stream begins with all of its topics', async () => {
  await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content: 'hi' }] })
  await server.telemetry.tick()
  const { response, until, close } = await follow('machine,engines,rates,notices')
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect((await until(({ event }) => event === 'machine')).data).toMatchObject({
    devices: [{ id: 'gpu0', state: 'ok', total_bytes: 141e9, other_bytes: 41e9, power_w: 412.5, models: [] }],
    memory: { total_bytes: 64e9, server_bytes: 1e9 },
    disk: { free_bytes: 5e11, total_bytes: 1e12 },
  })
  expect((await until(({ event }) => event === 'engines')).data).toMatchObject([
    { model: 'test/fake', state: 'ready', running: 0, parallel: 4, last_failure: null },
  ])
  expect((await until(({ event }) => event === 'rates')).data).toMatchObject({ running: 0, errors_per_min: 0 })
  expect((await until(({ event }) => event === 'notices')).data).toMatchObject({ sentence: '1 model is loaded.' })
  await close()
})

test('a request is told of from its beginning to its end, without a word of it', async () => {
  const { until, close } = await follow('request')
  const script = JSON.stringify({ script: [{ text: 'secret' }, { text: 'words' }] })
  await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content: script }] })
  const begun = await until(({ data }) => data.state === 'waiting')
  expect(begun.data).toMatchObject({ account: server.accountId, model: 'test/fake', endpoint: 'chat/completions' })
  const { id } = begun.data
  expect((await until(({ data }) => data.id === id && data.state === 'running')).data.first_output_ms).toBeNumber()
  const { data } = await until((event) => event.data.id === id && event.data.state === 'ended')
  expect(data).toMatchObject({ status: 200, cost_usd: '0', code: null })
  expect(JSON.stringify(data)).not.toContain('secret')
  await close()
})

test('an engine that dies is told of with its last words', async () => {
  const { until, close } = await follow('engines')
  const script = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })
  const begun = Promise.withResolvers<void>()
  const stop = server.requests.watch(({ firstOutputMs }) => firstOutputMs !== undefined && begun.resolve())
  // The server does not repeat a request whose stream has begun.
  const answer = await server.post('/v1/chat/completions', {
    model: 'fake',
    messages: [{ role: 'user', content: script }],
    stream: true,
  })
  await begun.promise
  stop()
  process.kill(server.pool.status()[0]?.pid ?? 0, 'SIGKILL')
  expect(await answer.text()).toContain('engine_failed')
  await server.telemetry.tick()
  const { data } = await until((event) => Object(event.data[0 as never]).last_failure !== null)
  expect(data).toMatchObject([{ model: 'test/fake', last_failure: { reason: 'signal SIGKILL', lines: [] } }])
  await close()
})

test('signing out ends the stream at once', async () => {
  const session = beginSession()
  const { until } = await follow('rates', session)
  const response = await fetch(`${server.url}/dashboard/api/sign-out`, {
    method: 'POST',
    headers: { ...cookieOf(session), origin: server.url },
  })
  expect(response.status).toBe(200)
  expect((await until(({ event }) => event === 'bye')).data).toEqual({ reason: 'signed_out' })
})

test('unknown topics are refused with those that there are', async () => {
  const response = await fetch(`${server.url}/admin/api/events?topics=machine,all`, {
    headers: cookieOf(beginSession()),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'topics', message: expect.stringContaining('pulls') } })
})

test('figures of the past come with their columns and units', async () => {
  stoppedAtMs = Date.now()
  await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content: 'hi' }] })
  await server.telemetry.tick()
  const read = async (query: string) => {
    const response = await fetch(`${server.url}/admin/api/history?${query}`, { headers: cookieOf(beginSession()) })
    return { status: response.status, ...Object(await response.json()) }
  }
  const rates = await read('series=rates&window=10m')
  expect(rates).toMatchObject({ status: 200, step_s: 1, since: expect.any(String) })
  expect(rates.columns[0]).toEqual({ name: 'output_tokens_per_s', unit: 'tokens/s' })
  expect(rates.rows.at(-1)).toHaveLength(5)
  expect(await read('series=engine:test/fake&window=24h')).toMatchObject({ step_s: 60 })
  const month = await read('series=latency&window=30d')
  expect(month).toMatchObject({ step_s: 3600, since: null })
  expect(month.rows).toHaveLength(720)
  expect(month.rows.at(-1)?.[2]).toBeGreaterThan(0)
  expect(await read('series=engine:test/none')).toMatchObject({ status: 404 })
  expect(await read('series=all')).toMatchObject({ status: 400, error: { param: 'series' } })
  expect(await read('window=1y')).toMatchObject({ status: 400, error: { param: 'window' } })
  stoppedAtMs = undefined
})

test('metrics tell of models, the machine and the process', async () => {
  const response = await fetch(`${server.url}/metrics`)
  expect(response.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
  const text = await response.text()
  for (const line of [
    'inferd_requests_total{model="test/fake",endpoint="chat/completions",status="200"}',
    'inferd_memory_size_bytes{device="gpu0"} 141000000000',
    'inferd_device_load_ratio{device="gpu0"} 0.87',
    'inferd_disk_free_bytes 500000000000',
  ]) {
    expect(text).toContain(`\n${line}`)
  }
})
