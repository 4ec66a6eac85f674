/**
 * The engines, one row each. Everything that differs by the kind of an engine, and is not inside it, is read from here.
 * The server never calls `load`: native code runs in engine children alone.
 */
import type { EngineKind, ModelType } from '../core/model.ts'
import type { LoadEngine } from './engine.ts'
import { isShipped, runtimeLayout } from './runtime-paths.ts'

export interface EngineRow {
  /** Types of models that it can serve. */
  readonly modelTypes: readonly ModelType[]
  /** Imports the engine, in the child; absent: this version does not have it. */
  readonly load?: () => Promise<LoadEngine>
  /** Files of the program without which it cannot run. */
  readonly needs: readonly string[]
  /** Its models are GGUF files, which are checked before native code reads them. */
  readonly readsGguf: boolean
  /** After a crash in a load it is started once more without its last optimizations. */
  readonly retriesCautiously: boolean
  /** What the operator does about a model whose files are missing. Completes "Its operator can …". */
  readonly howToInstall: (modelId: string) => string
}

const common = {
  needs: [],
  readsGguf: false,
  retriesCautiously: false,
  howToInstall: () => "put its files where 'inferd list --json' shows that they are missing",
} satisfies Partial<EngineRow>

const allTypes: readonly ModelType[] = ['chat', 'vision', 'embedding', 'rerank', 'tts', 'stt']

export const engineTable: Readonly<Record<EngineKind, EngineRow>> = {
  llama: {
    ...common,
    modelTypes: ['chat', 'vision'],
    load: async () => (await import('./llama/engine.ts')).loadLlamaEngine,
    needs: [runtimeLayout.nodeLlamaCpp, `${runtimeLayout.addons}/inferd-llama.cpu.node`],
    readsGguf: true,
    howToInstall: (modelId) => `install it: inferd import FILE.gguf --id ${modelId}`,
  },
  onnx: {
    ...common,
    modelTypes: ['embedding', 'rerank'],
    load: async () => (await import('./onnx/engine.ts')).loadOnnxEngine,
    needs: [runtimeLayout.onnxRuntime, runtimeLayout.tokenizers],
    retriesCautiously: true,
  },
  speech: { ...common, modelTypes: ['tts', 'stt'] },
  upstream: { ...common, modelTypes: allTypes },
  /** Scripted by the request, for tests. */
  fake: {
    ...common,
    modelTypes: allTypes,
    load: async () => (await import('./fake/engine.ts')).loadFakeEngine,
  },
}

/** Why an engine cannot run here; undefined when it can. */
export function engineProblem(kind: EngineKind, isHere = isShipped): string | undefined {
  const { load, needs } = engineTable[kind]
  if (load === undefined) return `this version has no engine "${kind}"`
  const missing = needs.find((path) => !isHere(path))
  return missing === undefined ? undefined : `engine "${kind}" cannot run here: this program lacks ${missing}`
}

// Object.keys forgets the key type of a constant.
export const engineKinds = Object.keys(engineTable) as readonly EngineKind[]
