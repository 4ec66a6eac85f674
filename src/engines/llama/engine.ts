/** The llama engine: one GGUF model, decoded step by step for all requests together. */
import { ApiError, toApiError } from '../../core/errors.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { Engine, EngineSetup, LoadEngine } from '../engine.ts'
import { defaultThreads, readCpuAllowance } from '../threads.ts'
import { Intake } from './intake.ts'
import { type LoadedModel, loadModel } from './load-model.ts'
import type { NativeContextOptions } from './native.ts'
import { countPrompt, toLoopRequest } from './prepare-request.ts'
import { isLongToRender } from './prompt/rendering.ts'
import type { LlamaSettings } from './settings.ts'
import type { LoopRequest } from './steps/granted-request.ts'
import { Sequences } from './steps/sequences.ts'
import { StepLoop } from './steps/step-loop.ts'

type LlamaKind = 'chat' | 'count'

export const loadLlamaEngine: LoadEngine<LlamaKind, LlamaSettings> = async (setup) => {
  const { model: installed, settings, runtime } = setup
  const path = installed.filePaths.model
  if (path === undefined) throw new Error(`the manifest of ${installed.manifest.id} names no file with role "model"`)
  const requestTokens = requestTokensOf(setup)
  // Sequences with room of their own are faster, where that much memory was granted.
  const isUnified = requestTokens * settings.parallel > settings.contextTokens
  const loaded = await loadModel(path, settings.device, settings.contextTokens, runtime)
  const threads = settings.threads > 0 ? settings.threads : defaultThreads(readCpuAllowance())
  const context = new loaded.addon.Context(loaded.model, contextOptions(setup, isUnified, threads))
  const loop = new StepLoop({
    context,
    sequences: new Sequences({
      context,
      count: settings.parallel,
      shareCache: settings.shareCache,
      isRecurrent: loaded.model.info.isRecurrent,
      slidingWindowTokens: loaded.model.info.slidingWindowTokens,
      isUnified,
      parkedBytes: settings.prefixCacheMb * 1024 * 1024,
    }),
    batchTokens: batchTokensOf(settings),
    emit: setup.emit,
    onFatal: (error) => {
      process.stderr.write(`decoder failed: ${error instanceof Error ? error.message : String(error)}\n`)
      process.exit(1)
    },
    nowMs: () => performance.now(),
  })
  return toEngine(setup, { loaded, loop, contextTokens: requestTokens, threads })
}

/** Longest prompt and answer of one request: what the operator, the model and the cache allow. */
function requestTokensOf({ model, settings }: EngineSetup<LlamaKind, LlamaSettings>): number {
  const { requestTokens, contextTokens } = settings
  const wanted = requestTokens > 0 ? requestTokens : contextTokens
  return Math.min(wanted, model.manifest.contextLength ?? wanted, contextTokens)
}

function contextOptions(
  { settings }: EngineSetup<LlamaKind, LlamaSettings>,
  isUnified: boolean,
  threads: number,
): NativeContextOptions {
  return {
    contextTokens: settings.contextTokens,
    batchTokens: batchTokensOf(settings),
    microBatchTokens: batchTokensOf(settings),
    sequences: settings.parallel,
    threads,
    batchThreads: threads,
    kvUnified: isUnified,
    keyType: settings.kvType,
    valueType: settings.kvType,
    flashAttention: settings.flashAttention,
    offloadKv: true,
  }
}

/** A step takes one token of every answer, so a batch holds at least that many. */
function batchTokensOf({ batchTokens, parallel }: LlamaSettings): number {
  return Math.max(batchTokens, parallel)
}

interface RunningModel {
  readonly loaded: LoadedModel
  readonly loop: StepLoop
  /** Longest prompt and answer of one request. */
  readonly contextTokens: number
  readonly threads: number
}

function toEngine(
  { settings, emit }: EngineSetup<LlamaKind, LlamaSettings>,
  { loaded, loop, contextTokens, threads }: RunningModel,
): Engine<LlamaKind> {
  const limits = { contextTokens }
  /** Prepared, and waiting for the first grant. */
  const ungranted = new Map<number, LoopRequest>()
  const intake = new Intake<Work<LlamaKind>>({
    laneOf: ({ kind, request }) => `${isLongToRender(request) ? 'long' : 'short'}-${kind}`,
    prepare: async ({ id, accountId, request: { kind, request } }, signal) => {
      if (kind === 'chat') {
        const prepared = await toLoopRequest(loaded, limits, { id, accountId, request }, signal)
        return () => {
          ungranted.set(id, prepared)
          const least = { ...nothingConsumed, promptTokens: prepared.promptTokens }
          const completionTokens = prepared.outputTokens * prepared.answers.length
          emit([{ id, prepared: { least, most: { ...least, completionTokens } } }])
        }
      }
      const promptTokens = await countPrompt(loaded, limits, request, signal)
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
      description: `${loaded.model.info.description} on ${place}`,
      contextTokens,
      parallel: settings.parallel,
    },
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
