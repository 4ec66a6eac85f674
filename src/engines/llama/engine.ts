/** The llama engine: one GGUF model, decoded step by step for all requests together. */

import { errorText } from '../../core/error-text.ts'
import { ApiError, toApiError } from '../../core/errors.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { Work } from '../../core/work.ts'
import type { Engine, EngineSetup, LoadEngine } from '../protocol/engine.ts'
import { CacheLayouts, optionsIn } from './cache/cache-layouts.ts'
import { type CacheSetup, possibleLayouts } from './cache/choose-layout.ts'
import { contextOptions, projectorOptions, requestTokens } from './context-options.ts'
import { draftLimits, loadModelWithHead } from './draft-head.ts'
import { Intake } from './intake.ts'
import { type LoadedModel, loadVision, makeContext, memoryOf, templateRemark } from './load-model.ts'
import { preparedPicturesBytes } from './memory-need.ts'
import { openRuntime } from './open-runtime.ts'
import { isAllOnDevices, type LlamaPlacement, onAllDevices, poolOfDevice, readPlacement, usesCpu } from './placement.ts'
import { countPrompt, toLoopRequest } from './prepare-request.ts'
import { learnAbilities } from './prompt/learn-abilities.ts'
import { openPictures } from './prompt/open-pictures.ts'
import { isLongToRender, longCharacters } from './prompt/rendering.ts'
import type { LlamaSettings } from './settings.ts'
import type { LoopRequest } from './steps/granted-request.ts'
import { type HandedPrefix, type HandoverSetup, handOver, takeOver } from './steps/handover.ts'
import { MoveWorth, stepTokens, tileRowsOf } from './steps/processor.ts'
import { Sequences } from './steps/sequences.ts'
import { StepLoop } from './steps/step-loop.ts'
import { tokensWork } from './tokens-work.ts'

const mebibyte = 1024 * 1024
const nowMs = () => performance.now()

export type LlamaKind = 'chat' | 'count' | 'tokens'

type Setup = EngineSetup<LlamaKind, LlamaSettings>

export const loadLlamaEngine: LoadEngine<LlamaKind, LlamaSettings> = (setup) => loadWith(setup, possibleLayouts)

/** Loads the model with a KV cache in one of the layouts that `layoutsOf` gives. */
export async function loadWith(setup: Setup, layoutsOf: typeof possibleLayouts): Promise<Engine<LlamaKind>> {
  const { model: installed, settings, runtime } = setup
  const { manifest } = installed
  const { onPhase = () => undefined } = setup
  const { addon, backend, computing } = await openRuntime(runtime, settings.device)
  onPhase('libraries')
  const devices = addon.devices()
  const placement = placementOn(computing ?? [...devices.keys()], setup.placement)
  const { model, head, isHeadLeftOut } = await loadModelWithHead(addon, { installed, settings, placement }, setup)
  if (isHeadLeftOut) process.stderr.write('the draft head is of a kind that cannot be used, and is left out\n')
  onPhase('weights')
  // Runs in threads of the system, while this thread makes the context.
  const learning = templateRemark(model).then((remark) => {
    if (remark !== undefined) process.stderr.write(`${remark}\n`)
    return learnAbilities(model)
  })
  learning.catch(() => undefined) // if no context can be made, that error counts
  const options = { ...contextOptions(settings, manifest, placement), ...head }
  const tokens = stepTokens(options, placement)
  const layouts = new CacheLayouts({
    layouts: layoutsOf(cacheSetup({ settings, model, options, isOnGpu: isAllOnDevices(placement) })),
    pastTokens: setup.pastTokens ?? [],
    newContext: (layout) => makeContext(addon, model, { ...optionsIn(layout, options), batchTokens: tokens }),
    onFailure: ({ sequences, tokensEach }, error) => {
      const wanted = `${sequences} caches of ${tokensEach} tokens`
      process.stderr.write(`no memory for ${wanted}, one cache instead: ${String(error)}\n`)
    },
  })
  const { context } = layouts
  onPhase('context')
  const abilities = await learning
  onPhase('template')
  const { mmproj } = installed.filePaths
  const vision =
    mmproj === undefined
      ? undefined
      : await loadVision(addon, { ...projectorOptions(mmproj, settings, placement), model })
  if (vision !== undefined) onPhase('projector')
  const names = placement.devices.map((index) => devices[index]?.name ?? 'unknown')
  const place = names.length === 0 ? `${options.threads} CPU threads` : names.join(', ')
  return toEngine(
    setup,
    { addon, model, abilities, vision, context, options, layouts, stepTokens: tokens },
    {
      device: names.length === 0 ? 'cpu' : backend,
      threads: usesCpu(placement) ? options.threads : undefined,
      description: `${model.info.description} on ${place}`,
      contextTokens: requestTokens(settings, manifest),
      parallel: settings.parallel,
      cacheLimitTokens: options.contextTokens,
      cacheLayout: layouts.current,
      memory: memoryOf(vision === undefined ? [context] : [context, vision.projector], poolOfDevice(devices)),
    },
  )
}

function cacheSetup({
  settings: { contextTokens, parallel, requestTokens },
  model: { info },
  options,
  isOnGpu,
}: {
  settings: LlamaSettings
  model: LoadedModel['model']
  options: LoadedModel['options']
  isOnGpu: boolean
}): CacheSetup {
  return {
    ...{ isOnGpu, contextTokens, parallel },
    isSet: requestTokens > 0,
    allFit: !options.kvUnified,
    hasDraftHead: options.draftHead !== undefined,
    hasSlidingWindow: info.slidingWindowTokens > 0,
    hasLongFactors: info.hasLongFactors,
  }
}

/**
 * Returns the placement. If it uses devices of a backend that has failed since, all working devices replace it, or the
 * CPU.
 */
function placementOn(computing: readonly number[], wanted: Setup['placement']): LlamaPlacement {
  const placement = wanted === undefined ? undefined : readPlacement(wanted)
  const isHere = placement?.devices.every((index) => computing.includes(index)) === true
  return placement !== undefined && isHere ? placement : onAllDevices(computing)
}

function refusePicture(): Promise<never> {
  return Promise.reject(new Error('a picture without a projector: this is a bug'))
}

/** Stands in for a projector if no request has pictures. */
const blind = { isNonCausal: false, prepare: refusePicture, drop: () => undefined, encode: refusePicture }

function startLoop(
  { settings, suspectParts, stepCurves, emit }: Setup,
  { model, vision, context, options, layouts, stepTokens: batchTokens }: LoadedModel,
  { sequences, moveWorth }: { readonly sequences: Sequences; readonly moveWorth: MoveWorth | undefined },
  device: EngineInfo['device'],
): StepLoop {
  const { shareCache, imageCacheMb } = settings
  return new StepLoop({
    ...{ context, sequences, cacheLayouts: layouts, moveWorth, stepCurves },
    pictures: {
      projector: vision?.projector ?? blind,
      cacheBytes: imageCacheMb * mebibyte,
      preparedBytes: preparedPicturesBytes,
      shareCache,
      suspects: new Set(suspectParts),
    },
    batchTokens,
    pieceTokens: options.batchTokens,
    tileRows: tileRowsOf(device, options),
    // A context of fewer sequences has memory for fewer rows.
    draftLimits: draftLimits(settings, model.info, layouts.isVariable ? { ...options, sequences: 1 } : options),
    threads: options.threads,
    emit,
    onFatal: (error) => {
      process.stderr.write(`decoder failed: ${errorText(error)}\n`)
      process.exit(1)
    },
    nowMs,
  })
}

function makeSequences(
  { settings }: Setup,
  { model, context, layouts }: LoadedModel,
  moveWorth: MoveWorth | undefined,
): Sequences {
  const { shareCache, prefixCacheMb } = settings
  const { isUnified, sequences: count } = layouts.current
  const { isRecurrent, slidingWindowTokens } = model.info
  return new Sequences({
    ...{ context, count, isUnified, shareCache, isRecurrent, slidingWindowTokens, moveWorth, nowMs },
    movesStates: layouts.isVariable && !isRecurrent,
    parkedBytes: prefixCacheMb * mebibyte,
  })
}

/** Takes over prefixes and empties their file. They are parked as if computed here. */
function takeOverPrefixes({ note }: Setup, { vision }: LoadedModel, sequences: Sequences): HandoverSetup | undefined {
  if (note === undefined) return undefined
  const setup = { file: note.file, media: vision?.units, nowMs }
  // The note came from an engine of the same revision.
  const parts = note.parts as readonly HandedPrefix[]
  for (const prefix of takeOver(parts, setup)) sequences.takeOver(prefix)
  return setup
}

/** Returns whether preparing a request takes much longer than usual. */
function isLong(request: Work<LlamaKind>['request']): boolean {
  if ('messages' in request) return isLongToRender(request)
  return request.task === 'text' ? request.text.length > longCharacters : false
}

function toEngine(setup: Setup, loaded: LoadedModel, info: EngineInfo): Engine<LlamaKind> {
  const { emit } = setup
  const { contextTokens, device } = info
  // On a CPU moving a prompt is always faster than computing it.
  const moveWorth = device === 'cpu' ? undefined : new MoveWorth()
  const sequences = makeSequences(setup, loaded, moveWorth)
  const loop = startLoop(setup, loaded, { sequences, moveWorth }, device)
  const handover = takeOverPrefixes(setup, loaded, sequences)
  const deadly = new Set(setup.deadlyParts)
  /** Prepared requests that wait for their first grant. */
  const ungranted = new Map<number, LoopRequest>()
  const intake = new Intake<Work<LlamaKind>>({
    laneOf: ({ kind, request }) => `${isLong(request) ? 'long' : 'short'}-${kind}`,
    prepare: async ({ id, accountId, request: work }, signal) => {
      if (work.kind === 'tokens') {
        const { promptTokens, outputs } = await tokensWork(loaded, contextTokens, work.request, signal)
        return () => {
          emit([{ id, event: { type: 'start', promptTokens, cachedTokens: 0 } }])
          for (const event of outputs) emit([{ id, event }])
          emit([{ id, event: { type: 'finish', usage: nothingConsumed } }])
        }
      }
      const request = openPictures(work.request, deadly)
      if (work.kind === 'chat') {
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
  return {
    info,
    useThreads: (count) => loop.useThreads(count),
    // The context cannot be read while a step runs.
    leaveNote: (limitBytes) =>
      handover === undefined || !loop.isIdle ? [] : handOver(sequences.handOver(), limitBytes, handover),
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
