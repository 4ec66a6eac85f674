/**
 * An upstream server on loopback. It accepts only what servers of its kind accept, and answers with the script in the
 * prompt in their form. Tests queue other answers, and see requests and when a client left.
 */
import type { UpstreamFlavor } from '../../core/upstream.ts'
import { playChatStream, type ScriptedBody } from './chat-stream.ts'
import { bodyProblem } from './check-body.ts'
import type { Exchange } from './exchange.ts'
import { ExchangeServer } from './exchange-server.ts'
import { flavorQuirks, type Quirks } from './quirks.ts'

export interface FakeUpstreamOptions {
  readonly flavor: UpstreamFlavor
  /** Name of its model. Defaults to `served`. */
  readonly model?: string
  /** Differences from other servers of its kind. */
  readonly quirks?: Partial<Quirks>
  /** Key that requests must contain. */
  readonly key?: string
  /** Context length in its list of models, for kinds that list one. */
  readonly contextTokens?: number | undefined
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Defaults to a free port. */
  readonly port?: number
  /** Word at the beginning of each answer. */
  readonly prefix?: string
}

export interface UpstreamRecord {
  readonly exchange: Exchange
  /** Path below the base address. */
  readonly path: string
  /** Parsed body. Undefined if it is no JSON. */
  readonly body: ScriptedBody & Readonly<Record<string, unknown>>
}

/** Gives an answer instead of the script's. */
export type UpstreamAnswer = (exchange: Exchange, play: () => Promise<void>) => Promise<void> | void

export interface FakeUpstream extends AsyncDisposable {
  /** Base address with /v1, as in a manifest. */
  readonly url: string
  /** Requests for work in order, without those for health and models. */
  readonly records: readonly UpstreamRecord[]
  /** Paths of all requests. */
  readonly paths: readonly string[]
  /** Problems of bodies, which were answered with 400, and errors thrown by the tests' answers. */
  readonly problems: readonly string[]
  /** Answers to the next requests for work. */
  readonly queue: UpstreamAnswer[]
  /** Answer once the queue is empty. Undefined plays the script. */
  always: UpstreamAnswer | undefined
  /** Resolves with a request for work by its number, from 0, once it has arrived. */
  record(index: number): Promise<UpstreamRecord>
  readonly connections: number
  /** Stops like a killed process. */
  stop(): Promise<void>
  /** Listens again at the same address. */
  start(): Promise<void>
}

export async function startFakeUpstream(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const { flavor, model = 'served', key, tls, port = 0, prefix } = options
  const quirks = { ...flavorQuirks[flavor], ...options.quirks }
  const records: UpstreamRecord[] = []
  const paths: string[] = []
  const problems: string[] = []
  const waiters = new Set<() => void>()

  let running = 0
  const answerWork = async (exchange: Exchange, path: string) => {
    const body = exchange.json() as UpstreamRecord['body']
    records.push({ exchange, path, body })
    for (const wake of waiters) wake()
    const problem = bodyProblem(flavor, path, body)
    if (problem !== undefined) {
      problems.push(problem)
      return exchange.answer(400, { error: { message: problem, type: 'BadRequestError', param: null, code: 400 } })
    }
    const play = () => playChatStream(exchange, body, quirks, prefix)
    const answer = upstream.queue.shift() ?? upstream.always
    running++
    try {
      await (answer === undefined ? play() : answer(exchange, play))
    } finally {
      running--
    }
  }

  const server = new ExchangeServer({
    tls,
    port,
    onFailure: (error) => problems.push(String(error)),
    answer: async (exchange) => {
      const path = (exchange.path.split('?')[0] ?? '').replace(/^\/v1(?=\/)/, '')
      paths.push(path)
      if (path === '/health') return exchange.answer(200, '')
      if (key !== undefined && exchange.headers.get('authorization') !== `Bearer ${key}`) {
        return exchange.answer(401, { error: { message: 'Unauthorized' } })
      }
      const plain = plainAnswers[path]
      if (plain === undefined) await answerWork(exchange, path)
      else await exchange.answer(200, plain({ flavor, model, running, contextTokens: options.contextTokens }, exchange))
    },
  })
  await server.start()
  const upstream: FakeUpstream = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}/v1`,
    records,
    paths,
    problems,
    queue: [],
    always: undefined,
    record: async (index) => {
      let found = records[index]
      while (found === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiters.add(resolve)
        await promise
        waiters.delete(resolve)
        found = records[index]
      }
      return found
    },
    get connections() {
      return server.connections
    },
    stop: () => server.stop(),
    start: () => server.start(),
    [Symbol.asyncDispose]: () => server.stop(),
  }
  return upstream
}

interface Served {
  readonly flavor: UpstreamFlavor
  readonly model: string
  readonly contextTokens: number | undefined
  /** Number of running requests for work. */
  readonly running: number
}

/** Answers without a stream, by path. */
const plainAnswers: Readonly<Record<string, (served: Served, exchange: Exchange) => unknown>> = {
  '/models': ({ flavor, model, contextTokens }) => ({
    object: 'list',
    data: [{ id: model, object: 'model', owned_by: flavor, ...contextFields(flavor, contextTokens) }],
  }),
  '/metrics': ({ flavor, model, running }) =>
    flavor === 'vllm' ? `# a\nvllm:num_requests_running{model_name="${model}"} ${running}.0\n` : '',
  // Tells another inferd which account its key belongs to.
  '/account': () => ({ id: 'acc_1' }),
  '/slots': ({ running }) => [{ id: 0, is_processing: running > 0 }],
  '/loads': ({ running }) => ({ loads: [{ num_running_reqs: running, num_waiting_reqs: 0 }] }),
  '/props': ({ contextTokens }) => ({ default_generation_settings: { n_ctx: contextTokens } }),
  // Each word counts as a token.
  '/tokenize': (_, exchange) => {
    const words = exchange.body.toString().match(/\w+/g) ?? []
    return { count: words.length, tokens: words.map((_, index) => index) }
  },
  '/apply-template': (_, exchange) => ({ prompt: exchange.body.toString() }),
  '/messages/count_tokens': (_, exchange) => ({ input_tokens: exchange.body.toString().match(/\w+/g)?.length ?? 0 }),
}

function contextFields(flavor: UpstreamFlavor, contextTokens: number | undefined): object {
  if (contextTokens === undefined) return {}
  if (flavor === 'vllm' || flavor === 'sglang') return { max_model_len: contextTokens }
  return flavor === 'llamacpp' ? { meta: { n_ctx_train: contextTokens } } : {}
}
