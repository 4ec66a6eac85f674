/**
 * The engines, one row each, with everything outside an engine that differs by its kind. The server itself never
 * imports an engine with native code: those run only in engine children.
 */
import { type EngineKind, type ModelType, modelTypes } from '../core/model.ts'
import type { SettingRow, Values } from '../core/setting.ts'
import type { WorkKind } from '../core/work.ts'
import { estimateDiarization } from './diarization/placements.ts'
import { diarizationSettings } from './diarization/settings.ts'
import { fakePlacements } from './fake/placements.ts'
import { fakeSettings } from './fake/settings.ts'
import { llamaSettings } from './llama/settings.ts'
import { estimateOnnx } from './onnx/placements.ts'
import { onnxSettings } from './onnx/settings.ts'
import type { EngineDevice, ProbeBackend, RuntimePaths } from './protocol/backend.ts'
import type { EstimatePlacements, LoadEngine } from './protocol/engine.ts'
import { isShipped, runtimeLayout } from './runtime/runtime-paths.ts'
import { placementByFileSize } from './shared/placement-by-file-size.ts'
import { estimateSpeech } from './speech/placements.ts'
import { speechSettings } from './speech/settings.ts'
import { upstreamSettings } from './upstream/settings.ts'

type SettingRows = Readonly<Record<string, SettingRow>>

type PlacementSource<Settings> =
  | { readonly inServer: EstimatePlacements<Settings> }
  | { readonly inChild: () => Promise<EstimatePlacements<Settings>> }

/** Program of an engine. Native code runs only in children. */
type EngineSource<Settings, Kind extends WorkKind = WorkKind> =
  | { readonly inChild: () => Promise<LoadEngine<Kind, Settings>> }
  | 'in-server'

interface EngineRow {
  /** Types of models that it can serve. */
  readonly modelTypes: readonly ModelType[]
  /** Kinds of work that it does. It receives no other kind. */
  readonly work: readonly WorkKind[]
  /** Settings of the operator or a model's manifest. Engines that share a setting's name share its row. */
  readonly settings: SettingRows
  /** Program of a child process, or `in-server` for an engine that the server passes to `host/in-server-engine.ts`. */
  readonly runs: EngineSource<never>
  /**
   * Source of a model's placements in memory: from its files, in the server, or by libraries that read them, in a
   * child.
   */
  readonly placements: PlacementSource<never>
  /**
   * Imports the function that lists the devices seen by its libraries, run in a child. Absent if `nvidia-smi` reports
   * them all.
   */
  readonly devices?: () => Promise<(runtime: RuntimePaths) => Promise<readonly EngineDevice[]>>
  /**
   * Imports the probe that tests in a child whether one of its backends computes here. Absent if it only uses the CPU.
   */
  readonly probe?: () => Promise<ProbeBackend>
  /** True if it labels speakers in transcriptions itself; otherwise a diarizer does in parallel. */
  readonly labelsSpeakers?: boolean
  /** Files of the program that it needs. */
  readonly needs: readonly string[]
  /** True if its models are GGUF files, which are checked before native code reads them. */
  readonly readsGguf: boolean
  /** True to repeat a crashed load once, with fewer optimizations. `on-gpu`: only a load on a GPU, then on the CPU. */
  readonly retriesCautiously: boolean | 'on-gpu'
  /** Noun for the parts of requests that it decodes and encodes, which may crash it; absent if there are none. */
  readonly encodes?: string
  /** Noun for the content of its note to the next process of a model; absent if it leaves no note. */
  readonly leaves?: string
}

const common = {
  placements: { inServer: placementByFileSize(1.2) },
  needs: [],
  readsGguf: false,
  retriesCautiously: false,
} satisfies Partial<EngineRow>

/** Returns a row, its loader type-checked against its settings and kinds of work. */
function engine<Rows extends SettingRows, Kind extends WorkKind>(
  row: Omit<EngineRow, 'settings' | 'runs' | 'work' | 'placements'> & {
    readonly work: readonly Kind[]
    readonly settings: Rows
    readonly runs: EngineSource<Values<Rows>, Kind>
    readonly placements: PlacementSource<Values<Rows>>
  },
): Omit<EngineRow, 'settings'> & { readonly settings: Rows } {
  return row
}

const rows = {
  llama: engine({
    ...common,
    modelTypes: ['chat', 'vision'],
    work: ['chat', 'count', 'tokens'],
    settings: llamaSettings,
    runs: { inChild: async () => (await import('./llama/engine.ts')).loadLlamaEngine },
    placements: { inChild: async () => (await import('./llama/estimate.ts')).estimateLlama },
    devices: async () => (await import('./llama/open-runtime.ts')).readDevices,
    probe: async () => (await import('./llama/probe-backend.ts')).probeLlama,
    needs: [runtimeLayout.nodeLlamaCpp, `${runtimeLayout.addons}/inferd-llama.cpu.node`, runtimeLayout.llamaCore],
    readsGguf: true,
    encodes: 'picture or recording',
    leaves: 'prompts',
  }),
  onnx: engine({
    ...common,
    modelTypes: ['embedding', 'rerank'],
    work: ['embed', 'rerank'],
    settings: onnxSettings,
    runs: { inChild: async () => (await import('./onnx/engine.ts')).loadOnnxEngine },
    placements: { inServer: estimateOnnx },
    probe: async () => (await import('./onnx/probe-backend.ts')).probeOnnx,
    needs: [runtimeLayout.onnxRuntime, runtimeLayout.tokenizers],
    retriesCautiously: true,
  }),
  speech: engine({
    ...common,
    modelTypes: ['tts', 'stt'],
    work: ['transcribe', 'speak'],
    settings: speechSettings,
    runs: { inChild: async () => (await import('./speech/engine.ts')).loadSpeechEngine },
    placements: { inServer: estimateSpeech },
    needs: [runtimeLayout.sherpaOnnx],
    retriesCautiously: 'on-gpu',
  }),
  /** The diarizer of a transcription model. It has no manifest. */
  diarization: engine({
    ...common,
    modelTypes: [],
    work: ['diarize'],
    settings: diarizationSettings,
    runs: { inChild: async () => (await import('./diarization/engine.ts')).loadDiarizationEngine },
    placements: { inServer: estimateDiarization },
    needs: [runtimeLayout.onnxRuntime],
    retriesCautiously: true,
  }),
  /** Other servers, asked over HTTP. */
  upstream: engine({
    ...common,
    modelTypes,
    work: ['chat', 'count', 'tokens', 'embed', 'rerank', 'transcribe', 'speak', 'draw', 'moderate'],
    settings: upstreamSettings,
    runs: 'in-server',
    labelsSpeakers: true,
    // Other machines' memory is used, so the scheduler needs no room here.
    placements: { inServer: async () => [{ key: 'upstream', label: 'upstream', needBytes: {}, load: {} }] },
  }),
  /** Scripted by the request, for tests. */
  fake: engine({
    ...common,
    modelTypes,
    work: ['chat', 'count', 'tokens', 'embed', 'rerank', 'transcribe', 'diarize', 'speak', 'draw'],
    settings: fakeSettings,
    encodes: 'picture',
    placements: { inServer: fakePlacements },
    runs: { inChild: async () => (await import('./fake/engine.ts')).loadFakeEngine },
  }),
} satisfies Record<EngineKind, EngineRow>

export const engineTable: Readonly<Record<EngineKind, EngineRow>> = rows

/** Returns why an engine cannot run here; undefined if it can. */
export function engineProblem(kind: EngineKind, isHere = isShipped): string | undefined {
  const missing = engineTable[kind].needs.find((path) => !isHere(path))
  if (missing === undefined) return undefined
  // Built files are missing only in a checkout.
  const advice = missing.startsWith('build/') ? ": run 'bun run native'" : ''
  return `engine "${kind}" cannot run here: this program lacks ${missing}${advice}`
}

// Object.keys forgets the key type of a constant.
export const engineKinds = Object.keys(engineTable) as readonly EngineKind[]

type Joined<Rows> = {
  readonly [Name in Rows extends unknown ? keyof Rows : never]: Extract<Rows, Record<Name, unknown>>[Name]
}
type AllRows = Joined<(typeof rows)[EngineKind]['settings']>

/** The settings of all engines, without duplicates. */
export const engineSettings = Object.assign({}, ...engineKinds.map((kind) => rows[kind].settings)) as AllRows

export type EngineSettings = Values<AllRows>
