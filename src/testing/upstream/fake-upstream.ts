/**
 * A server that can stand behind: it listens on loopback, takes what servers of its kind take and nothing else, and answers with
 * the script in the prompt as they would. Tests queue other answers, see what was asked, and when a client left.
 */
import type { UpstreamFlavor } from '../../core/upstream.ts'
import { playChatStream, type ScriptedBody } from './chat-stream.ts'
import { bodyProblem } from './check-body.ts'
import type { Exchange } from './exchange.ts'
import { ExchangeServer } from './exchange-server.ts'
import { flavorQuirks, type Quirks } from './quirks.ts'

export interface FakeUpstreamOptions {
  readonly flavor: UpstreamFlavor
  /** Name of its model: `served` unless given. */
  readonly model?: string
  /** In what it differs from its kind. */
  readonly quirks?: Partial<Quirks>
  /** Requests must bring it. */
  readonly key?: string
  /** Told by its list of models where its kind does. */
  readonly contextTokens?: number | undefined
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Free unless given. */
  readonly port?: number
  /** A word that each answer begins with. */
  readonly prefix?: string
}

export interface UpstreamRecord {
  readonly exchange: Exchange
  /** Below the base address. */
  readonly path: string
  /** Undefined where it is no JSON. */
  readonly body: ScriptedBody & Readonly<Record<string, unknown>>
}

/** What is answered instead of the script. */
export type UpstreamAnswer = (exchange: Exchange, play: () => Promise<void>) => Promise<void> | void

export interface FakeUpstream extends AsyncDisposable {
  /** With /v1: what a manifest names. */
  readonly url: string
  /** Requests for work, in their order; not those for health and models. */
  readonly records: readonly UpstreamRecord[]
  /** Paths of all requests. */
  readonly paths: readonly string[]
  /** What was wrong with bodies, which were answered with 400; and what answers of tests threw. */
  readonly problems: readonly string[]
  /** Answers of the next requests for work. */
  readonly queue: UpstreamAnswer[]
  /** Answer of all of them where the queue is empty; absent: the script. */
  always: UpstreamAnswer | undefined
  /** Resolves with the request for work of this number, from 0, once it has come. */
  record(index: number): Promise<UpstreamRecord>
  readonly connections: number
  /** As if it were killed. */
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
  /** Requests for work. */
  readonly running: number
}

/** Whole answers, by path. */
const plainAnswers: Readonly<Record<string, (served: Served, exchange: Exchange) => unknown>> = {
  '/models': ({ flavor, model, contextTokens }) => ({
    object: 'list',
    data: [{ id: model, object: 'model', owned_by: flavor, ...contextFields(flavor, contextTokens) }],
  }),
  '/metrics': ({ flavor, model, running }) =>
    flavor === 'vllm' ? `# a\nvllm:num_requests_running{model_name="${model}"} ${running}.0\n` : '',
  // Of another inferd: whose key it is.
  '/account': () => ({ id: 'acc_1' }),
  '/slots': ({ running }) => [{ id: 0, is_processing: running > 0 }],
  '/loads': ({ running }) => ({ loads: [{ num_running_reqs: running, num_waiting_reqs: 0 }] }),
  '/props': ({ contextTokens }) => ({ default_generation_settings: { n_ctx: contextTokens } }),
  // A word is a token.
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
