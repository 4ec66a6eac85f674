/** Engine without a model, for tests. It follows the request's script (see `script.ts`, `texts.ts`, `speech.ts`). */
import { ApiError, errorData } from '../../core/errors.ts'
import { placeImages } from '../../core/place-images.ts'
import type { TokensRequest } from '../../core/tokens.ts'
import { unreachable } from '../../core/unreachable.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { EngineStats, LoadEngine } from '../protocol/engine.ts'
import type { Grant, RequestEvent } from '../protocol/request-events.ts'
import { type AheadKind, FakeAheadWork, planDraw } from './ahead-work.ts'
import { FakeAnswer } from './answer.ts'
import { deadlyPictureIn } from './pictures.ts'
import { loadFakeModel } from './placements.ts'
import { readScript } from './script.ts'
import type { FakeSettings } from './settings.ts'
import { planSpeech } from './speech.ts'
import { planTexts } from './texts.ts'
import { fakeTokens } from './tokens.ts'

/** Default dimensions of a vector. */
const defaultDimensions = 8

/** Number of threads that it reports. It computes nothing. */
const aloneThreads = 4

/** Kinds of work that are scripted. */
type FakeKind = 'chat' | 'count' | 'tokens' | AheadKind

interface FakeWork {
  grant(grant: Grant): void
  cancel(): void
  pause?(isPaused: boolean): void
  usage(): Consumption
  /** Resolves with the request's last event. */
  play(): Promise<RequestEvent<WorkEvent<FakeKind>>>
}

type Totals = Pick<EngineStats, 'decodedPromptTokens' | 'reusedPromptTokens' | 'generatedTokens'>

export const loadFakeEngine: LoadEngine<FakeKind, FakeSettings> = async ({
  model,
  settings,
  deadlyParts = [],
  emit,
}) => {
  const { memory, cacheTokens, cacheLimitTokens } = await loadFakeModel(model.filePaths)
  const works = new Map<number, FakeWork>()
  const totals = { steps: 0, decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }
  const send = (event: RequestEvent<WorkEvent<FakeKind>>) => {
    totals.steps++
    emit([event])
  }
  const play = (id: number, work: FakeWork) => {
    works.set(id, work)
    void work.play().then((end) => {
      addUsage(totals, work)
      works.delete(id)
      send(end)
    })
  }
  const { contextTokens, parallel } = settings
  let threads = aloneThreads
  const nativeDimensions = model.manifest.dimensions ?? defaultDimensions
  return {
    info: {
      ...{ device: 'cpu', threads, description: 'fake', contextTokens, parallel },
      ...(memory !== undefined && { memory }),
      ...(cacheLimitTokens !== undefined && { cacheLimitTokens }),
    },
    useThreads: (count) => {
      threads = count
    },
    stats: () => {
      const now = { ...totals }
      for (const work of works.values()) addUsage(now, work)
      const held = cacheTokens === undefined ? {} : { cacheTokens }
      return { ...now, ...held, threads, running: works.size, waiting: 0 }
    },
    grant: (id, grant) => works.get(id)?.grant(grant),
    cancel: (id) => works.get(id)?.cancel(),
    pause: (id, isPaused) => works.get(id)?.pause?.(isPaused),
    run(id, _accountId, work) {
      switch (work.kind) {
        case 'chat': {
          const request = placeImages(work.request)
          const problem = deadlyPictureIn(request, deadlyParts)
          if (problem !== undefined) return emit([{ id, error: problem }])
          return play(id, new FakeAnswer({ id, request, contextTokens, send }))
        }
        case 'count': {
          const { promptTokens, cachedTokens } = readScript(placeImages(work.request))
          emit([
            { id, event: { type: 'start', promptTokens, cachedTokens } },
            { id, event: { type: 'finish', usage: nothingConsumed } },
          ])
          return
        }
        case 'tokens':
          return emit(tokensEvents(id, work.request, contextTokens))
        case 'embed':
        case 'rerank':
          return play(id, new FakeAheadWork({ id, plan: planTexts(work, nativeDimensions), send }))
        case 'transcribe':
        case 'diarize':
        case 'speak':
          return play(id, new FakeAheadWork({ id, plan: planSpeech(work), send }))
        case 'draw':
          return play(id, new FakeAheadWork({ id, plan: planDraw(work.request), send }))
        default:
          unreachable(work)
      }
    },
  }
}

function tokensEvents(id: number, request: TokensRequest, contextTokens: number): RequestEvent<WorkEvent<'tokens'>>[] {
  try {
    return [
      { id, event: { type: 'start', promptTokens: 0, cachedTokens: 0 } },
      { id, event: fakeTokens(request, contextTokens) },
      { id, event: { type: 'finish', usage: nothingConsumed } },
    ]
  } catch (error) {
    if (error instanceof ApiError) return [{ id, error: errorData(error) }]
    throw error
  }
}

/** Adds the work's usage so far. */
function addUsage(totals: { -readonly [Name in keyof Totals]: number }, work: FakeWork): void {
  const { promptTokens, cachedTokens, completionTokens } = work.usage()
  totals.decodedPromptTokens += promptTokens - cachedTokens
  totals.reusedPromptTokens += cachedTokens
  totals.generatedTokens += completionTokens
}
