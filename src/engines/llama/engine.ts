/** The llama engine: one GGUF model, decoded step by step for all requests together. */
import type { ChatRequest } from '../../core/chat.ts'
import { ApiError, toApiError } from '../../core/errors.ts'
import type { Engine, EngineSetup, LoadEngine } from '../engine.ts'
import type { EngineOptions } from '../protocol.ts'
import { Answer } from './answer.ts'
import { anyText } from './answer-grammar.ts'
import { Intake } from './intake.ts'
import { type LoadedModel, loadModel } from './load-model.ts'
import type { NativeAddon, NativeContextOptions, NativeModel, NativeSampler, NativeSamplerOptions } from './native.ts'
import { type PreparedPrompt, preparePrompt, renderRequest } from './prepare-prompt.ts'
import { ReplyReader } from './reply-reader.ts'
import { samplerOptions } from './sampling.ts'
import { Sequences } from './sequences.ts'
import { type LoopRequest, StepLoop } from './step-loop.ts'
import { defaultThreads, readCpuAllowance } from './threads.ts'
import { requireRoom, tokenizePrompt } from './tokenize-prompt.ts'

export const loadLlamaEngine: LoadEngine = async (setup) => {
  const { model: installed, options, runtime } = setup
  const path = installed.filePaths.model
  if (path === undefined) throw new Error(`the manifest of ${installed.manifest.id} names no file with role "model"`)
  const requestTokens = requestTokensOf(setup)
  // Sequences with room of their own are faster, where that much memory was granted.
  const isUnified = requestTokens * options.parallel > options.contextTokens
  const loaded = await loadModel(path, options.device, options.contextTokens, runtime)
  const threads = options.threads > 0 ? options.threads : defaultThreads(readCpuAllowance())
  const context = new loaded.addon.Context(loaded.model, contextOptions(setup, isUnified, threads))
  const loop = new StepLoop({
    context,
    sequences: new Sequences({
      context,
      count: options.parallel,
      shareCache: options.shareCache,
      isRecurrent: loaded.model.info.isRecurrent,
      slidingWindowTokens: loaded.model.info.slidingWindowTokens,
      isUnified,
      parkedBytes: options.prefixCacheBytes,
    }),
    batchTokens: batchTokensOf(options),
    emit: setup.emit,
    onFatal: (error) => {
      process.stderr.write(`decoder failed: ${error instanceof Error ? error.message : String(error)}\n`)
      process.exit(1)
    },
    nowMs: () => performance.now(),
  })
  return toEngine(setup, loaded, loop, requestTokens, threads)
}

/** Longest prompt and answer of one request: what the operator, the model and the cache allow. */
function requestTokensOf({ model, options }: EngineSetup): number {
  const { requestTokens, contextTokens } = options
  const wanted = requestTokens > 0 ? requestTokens : contextTokens
  return Math.min(wanted, model.manifest.contextLength ?? wanted, contextTokens)
}

function contextOptions({ options }: EngineSetup, isUnified: boolean, threads: number): NativeContextOptions {
  return {
    contextTokens: options.contextTokens,
    batchTokens: batchTokensOf(options),
    microBatchTokens: batchTokensOf(options),
    sequences: options.parallel,
    threads,
    batchThreads: threads,
    kvUnified: isUnified,
    keyType: options.kvType,
    valueType: options.kvType,
    flashAttention: options.flashAttention,
    offloadKv: true,
  }
}

/** A step takes one token of every answer, so a batch holds at least that many. */
function batchTokensOf({ batchTokens, parallel }: EngineOptions): number {
  return Math.max(batchTokens, parallel)
}

/** What the intake prepares: an answer, or only the length of a prompt. */
interface Task {
  readonly kind: 'chat' | 'count'
  readonly request: ChatRequest
}

function toEngine(
  setup: EngineSetup,
  loaded: LoadedModel,
  loop: StepLoop,
  contextTokens: number,
  threads: number,
): Engine {
  const { options, emit } = setup
  const intake = new Intake<Task, () => void>({
    prepare: async ({ id, accountId, request: { kind, request } }) => {
      if (kind === 'chat') {
        const prepared = await toLoopRequest(setup, loaded, contextTokens, { id, accountId, request })
        return () => loop.add(prepared)
      }
      const promptTokens = await countPrompt(loaded, contextTokens, request)
      return () =>
        emit([
          { id, event: { type: 'start', promptTokens, cachedTokens: 0 } },
          { id, done: true },
        ])
    },
    onPrepared: (deliver) => deliver(),
    onRefused: (id, error) => {
      const { kind, code, message, param, length } = toApiError(error)
      if (!(error instanceof ApiError)) process.stderr.write(`request failed: ${String(error)}\n`)
      emit([{ id, error: { kind, code, message, param, length } }])
    },
  })
  const place = loaded.device === 'cpu' ? `${threads} CPU threads` : loaded.deviceNames.join(', ')
  return {
    info: {
      device: loaded.device,
      description: `${loaded.model.info.description} on ${place}`,
      contextTokens,
      parallel: options.parallel,
    },
    stats: () => {
      const stats = loop.stats()
      return { ...stats, waiting: stats.waiting + intake.size }
    },
    cancel: (id) => {
      intake.cancel(id)
      loop.cancel(id)
    },
    chat: (id, accountId, request) => intake.add({ id, accountId, request: { kind: 'chat', request } }),
    count: (id, accountId, request) => intake.add({ id, accountId, request: { kind: 'count', request } }),
  }
}

/** What only the loaded engine knows to be impossible. */
function requireServable({ choices, sampling }: ChatRequest, parallel: number, vocabularySize: number): void {
  if (choices > parallel) {
    const message = `This server generates at most ${parallel} answers side by side; ask for fewer.`
    throw new ApiError('invalid_request', message, { code: 'invalid_value', param: 'n' })
  }
  const unknown = sampling.logitBias?.find(([token]) => token >= vocabularySize)
  if (unknown !== undefined) {
    const message = `This model has no token ${unknown[0]}: its tokens are 0 to ${vocabularySize - 1}.`
    throw new ApiError('invalid_request', message, { code: 'invalid_value', param: 'logit_bias' })
  }
}

/** Tokens of a prompt, also of one that is longer than the context. */
async function countPrompt({ model }: LoadedModel, contextTokens: number, request: ChatRequest): Promise<number> {
  await requireRoom(model, request, contextTokens)
  return (await model.tokenize(await renderRequest(model, request), true, true)).length
}

/** Renders, tokenises and checks a request. Throws ApiError for what the caller must change. */
async function toLoopRequest(
  setup: EngineSetup,
  { addon, model }: LoadedModel,
  contextTokens: number,
  incoming: { readonly id: number; readonly accountId: string; readonly request: ChatRequest },
): Promise<LoopRequest> {
  const { request } = incoming
  requireServable(request, setup.options.parallel, model.info.vocabularySize)
  await requireRoom(model, request, contextTokens)
  const prepared = await preparePrompt(model, request)
  const prompt = await tokenizePrompt(model, prepared.prompt, contextTokens)
  const randomSeed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const room = contextTokens - prompt.length
  const { maxTokens = Number.POSITIVE_INFINITY } = request
  const answers = Array.from({ length: request.choices }, (_, choice) => {
    const sampler = newSampler(addon, model, prepared, (prompt) =>
      samplerOptions(request, prompt, { choice, randomSeed }),
    )
    if (request.sampling.repeatPenalty !== undefined) sampler.acceptPrompt(prompt)
    return new Answer({
      choice,
      prompt,
      maxTokens: Math.min(maxTokens, room),
      isLimitedByContext: maxTokens > room,
      sampler,
      reader: new ReplyReader(prepared.format, { isSingleCall: !request.parallelToolCalls }),
      model,
      wantsLogprobs: request.topLogprobs !== undefined,
      stops: request.stop,
    })
  })
  const isConstrained = request.sampling.logitBias !== undefined || prepared.grammar.text !== ''
  return { id: incoming.id, accountId: incoming.accountId, promptTokens: prompt.length, isConstrained, answers }
}

/**
 * A grammar that cannot be compiled is the schema's fault. One that only waits for calls is left out instead: they are
 * read all the same.
 */
function newSampler(
  addon: NativeAddon,
  model: NativeModel,
  prepared: PreparedPrompt,
  toOptions: (prompt: PreparedPrompt) => NativeSamplerOptions,
): NativeSampler {
  try {
    return new addon.Sampler(model, toOptions(prepared))
  } catch (error) {
    if (prepared.grammar.isLazy) return new addon.Sampler(model, toOptions({ ...prepared, grammar: anyText }))
    const words = error instanceof Error ? error.message : String(error)
    throw new ApiError('invalid_request', `This schema cannot be enforced: ${words}.`, {
      code: 'invalid_schema',
      cause: error,
    })
  }
}
