/** The llama engine: one GGUF model, decoded step by step for all requests together. */
import { ApiError, toApiError } from '../../core/errors.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { Engine, EngineSetup, LoadEngine } from '../engine.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import { Intake } from './intake.ts'
import { type LoadedModel, loadModel } from './load-model.ts'
import { countPrompt, toLoopRequest } from './prepare-request.ts'
import { isLongToRender } from './prompt/rendering.ts'
import type { LlamaSettings } from './settings.ts'
import type { LoopRequest } from './steps/granted-request.ts'
import { Sequences } from './steps/sequences.ts'
import { StepLoop } from './steps/step-loop.ts'

type LlamaKind = 'chat' | 'count'

type Setup = EngineSetup<LlamaKind, LlamaSettings>

export const loadLlamaEngine: LoadEngine<LlamaKind, LlamaSettings> = async (setup) => {
  const { model, settings, runtime } = setup
  const path = model.filePaths.model
  if (path === undefined) throw new Error(`the manifest of ${model.manifest.id} names no file with role "model"`)
  const loaded = await loadModel(path, settings.device, settings.contextTokens, runtime)
  const threads = settings.threads > 0 ? settings.threads : defaultThreads(readCpuAllowance())
  // Longest prompt and answer of one request: what the operator, the model and the cache allow.
  const wanted = settings.requestTokens > 0 ? settings.requestTokens : settings.contextTokens
  const contextTokens = Math.min(wanted, model.manifest.contextLength ?? wanted, settings.contextTokens)
  return toEngine(setup, loaded, { contextTokens, threads })
}

interface Limits {
  /** Longest prompt and answer of one request. */
  readonly contextTokens: number
  readonly threads: number
}

function startLoop({ settings, emit }: Setup, { addon, model }: LoadedModel, limits: Limits): StepLoop {
  const { contextTokens, parallel, kvType, flashAttention, shareCache, prefixCacheMb } = settings
  // A step takes one token of every answer.
  const batchTokens = Math.max(settings.batchTokens, parallel)
  // Sequences with room of their own are faster, where that much memory was granted.
  const isUnified = limits.contextTokens * parallel > contextTokens
  const context = new addon.Context(model, {
    contextTokens,
    batchTokens,
    microBatchTokens: batchTokens,
    sequences: parallel,
    threads: limits.threads,
    kvUnified: isUnified,
    kvType,
    flashAttention,
  })
  const { isRecurrent, slidingWindowTokens } = model.info
  const parkedBytes = prefixCacheMb * 1024 * 1024
  return new StepLoop({
    context,
    sequences: new Sequences({
      context,
      count: parallel,
      shareCache,
      isRecurrent,
      slidingWindowTokens,
      isUnified,
      parkedBytes,
    }),
    batchTokens,
    threads: limits.threads,
    emit,
    onFatal: (error) => {
      process.stderr.write(`decoder failed: ${error instanceof Error ? error.message : String(error)}\n`)
      process.exit(1)
    },
    nowMs: () => performance.now(),
  })
}

function toEngine(setup: Setup, loaded: LoadedModel, limits: Limits): Engine<LlamaKind> {
  const { settings, emit } = setup
  const { contextTokens, threads } = limits
  const loop = startLoop(setup, loaded, limits)
  /** Prepared, and waiting for the first grant. */
  const ungranted = new Map<number, LoopRequest>()
  const intake = new Intake<Work<LlamaKind>>({
    laneOf: ({ kind, request }) => `${isLongToRender(request) ? 'long' : 'short'}-${kind}`,
    prepare: async ({ id, accountId, request: { kind, request } }, signal) => {
      if (kind === 'chat') {
        const prepared = await toLoopRequest(loaded, contextTokens, { id, accountId, request }, signal)
        return () => {
          ungranted.set(id, prepared)
          const least = { ...nothingConsumed, promptTokens: prepared.promptTokens }
          const completionTokens = prepared.outputTokens * prepared.answers.length
          emit([{ id, prepared: { least, most: { ...least, completionTokens } } }])
        }
      }
      const promptTokens = await countPrompt(loaded, contextTokens, request, signal)
      return () =>
        emit([
          { id, event: { type: 'start', promptTokens, cachedTokens: 0 } },
          { id, event: { type: 'finish', usage: nothingConsumed } },
        ])
    },
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
      threads: loaded.device === 'cpu' ? threads : undefined,
      description: `${loaded.model.info.description} on ${place}`,
      contextTokens,
      parallel: settings.parallel,
    },
    useThreads: (count) => loop.useThreads(count),
    stats: () => {
      const stats = loop.stats()
      return { ...stats, waiting: stats.waiting + intake.size + ungranted.size }
    },
    grant: (id, grant) => {
      const prepared = ungranted.get(id)
      if (prepared === undefined) return loop.grant(id, grant)
      ungranted.delete(id)
      loop.add(prepared, grant)
    },
    cancel: (id) => {
      if (intake.cancel(id) || ungranted.delete(id)) emit([{ id, cancelled: nothingConsumed }])
      else loop.cancel(id)
    },
    run: (id, accountId, work) => intake.add({ id, accountId, request: work }),
  }
}
