/**
 * Child process that generates with node-llama-cpp's own `sequence.evaluate`, controlled over IPC. Used by the
 * benchmark, and to test generated models.
 */
import { getLlama, type LlamaContext, type LlamaContextSequence, type LlamaModel } from 'node-llama-cpp'
import { type Job, type JobResult, sampling } from './job.ts'

export interface LoadRequest {
  readonly type: 'load'
  readonly model: string
  readonly threads: number
  readonly contextTokens: number
}

/** All jobs run at the same time, each on its own sequence. */
export interface RunRequest {
  readonly type: 'run'
  readonly jobs: readonly Job[]
}

export type ChildReply =
  | { readonly type: 'ready' }
  | { readonly type: 'results'; readonly results: readonly JobResult[] }
  | { readonly type: 'failed'; readonly message: string }

interface Loaded {
  readonly model: LlamaModel
  readonly request: LoadRequest
}

/**
 * Context with as many sequences as the last run had jobs, which is node-llama-cpp's best case for each number of
 * streams.
 */
interface Sequences {
  readonly context: LlamaContext
  readonly list: readonly LlamaContextSequence[]
}

let loaded: Loaded | undefined
let sequences: Sequences | undefined

process.on('message', (message: LoadRequest | RunRequest) => {
  handle(message).then(reply, (error: unknown) => reply({ type: 'failed', message: String(error) }))
})

function reply(message: ChildReply): void {
  process.send?.(message)
}

async function handle(message: LoadRequest | RunRequest): Promise<ChildReply> {
  if (message.type === 'load') {
    const llama = await getLlama({ gpu: false, build: 'never', maxThreads: message.threads, progressLogs: false })
    loaded = { model: await llama.loadModel({ modelPath: message.model }), request: message }
    return { type: 'ready' }
  }
  if (loaded === undefined) throw new Error('no model is loaded')
  const { model, request } = loaded
  if (sequences?.list.length !== message.jobs.length) {
    await sequences?.context.dispose()
    sequences = await makeSequences(model, request, message.jobs.length)
  }
  const { list } = sequences
  const results = message.jobs.map((job, index) => {
    const sequence = list[index]
    if (sequence === undefined) throw new Error('fewer sequences than jobs')
    return generate(model, sequence, job)
  })
  return { type: 'results', results: await Promise.all(results) }
}

async function makeSequences(model: LlamaModel, request: LoadRequest, count: number): Promise<Sequences> {
  const { threads } = request
  const context = await model.createContext({
    sequences: count,
    contextSize: request.contextTokens,
    threads: { ideal: threads, min: threads },
  })
  return { context, list: Array.from({ length: count }, () => context.getSequence()) }
}

async function generate(model: LlamaModel, sequence: LlamaContextSequence, job: Job): Promise<JobResult> {
  const startMs = performance.now()
  const prompt = `<|im_start|>user\n${job.prompt}<|im_end|>\n<|im_start|>assistant\n`
  const tokens = model.tokenize(prompt, true)
  // At least one token must be evaluated, so that there are logits to sample from.
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false)
  const cachedTokens = sequence.nextTokenIndex
  const arrivalsMs: number[] = []
  const { temperature, seed } = job
  const options = { temperature, seed, ...sampling, yieldEogToken: true }
  for await (const token of sequence.evaluate(tokens.slice(cachedTokens), options)) {
    model.detokenize([token])
    arrivalsMs.push(performance.now() - startMs)
    if (arrivalsMs.length === job.tokens) break
  }
  return {
    arrivalsMs,
    totalMs: performance.now() - startMs,
    promptTokens: tokens.length,
    cachedTokens,
    completionTokens: arrivalsMs.length,
  }
}
