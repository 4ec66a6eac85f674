/** Backends: the libraries with which an engine computes, and whether they are known to compute here. */

import type { EngineKind } from '../../core/model.ts'

/** An engine whose backends are probed: `llama` for llama.cpp, `onnx` for ONNX Runtime, which speech uses too. */
export type ProbedKind = 'llama' | 'onnx'

/** Names that a user can give as `--device`. */
export type BackendName = 'cuda' | 'vulkan' | 'cpu'

/** Library with which each engine computes. */
const probedKinds: Partial<Record<EngineKind, ProbedKind>> = {
  llama: 'llama',
  onnx: 'onnx',
  speech: 'onnx',
  diarization: 'onnx',
}

/** Returns the library whose backends an engine uses; undefined for an engine that has no choice. */
export function probedKind(engine: EngineKind): ProbedKind | undefined {
  return probedKinds[engine]
}

export interface BackendCandidate {
  /** Unique within its kind, such as `cuda`, `cuda-12`, `vulkan`, `cpu`. */
  readonly id: string
  readonly kind: ProbedKind
  readonly backend: BackendName
  /** Name for operators, such as `CUDA 12 build`. */
  readonly label: string
  /** Absolute path of the library that drives the device. Absent for the CPU. */
  readonly library?: string
}

/** A device on which a probe computed the same as the CPU. */
export interface ComputedDevice {
  readonly name: string
  /** Index among the devices that the library sees; absent if all of them computed. */
  readonly index?: number
}

/** A device on which a probe failed while others computed. */
export interface FailedDevice {
  readonly index: number
  readonly reason: string
  readonly nextStep: string
}

export type BackendVerdict =
  /** The backend computed the same as the CPU. The CPU itself is not probed. */
  | {
      readonly state: 'computes'
      readonly devices: readonly ComputedDevice[]
      readonly tookMs: number
      readonly failing?: readonly FailedDevice[]
    }
  | {
      readonly state: 'fails'
      readonly reason: string
      readonly nextStep: string
      readonly lines: readonly string[]
      /**
       * True if the failure may be temporary, as when other programs used all memory: the backend is probed again
       * later.
       */
      readonly mayPass?: boolean
    }
  /** This machine has no GPU, so nothing was probed. */
  | { readonly state: 'no-device' }
  /** A better backend computes, so this one was not needed yet. */
  | { readonly state: 'untried' }
  /** A probe is running. `compiles`: the driver compiles the kernels for this card, once. */
  | { readonly state: 'trying'; readonly compiles: boolean }

export interface JudgedBackend extends BackendCandidate {
  readonly verdict: BackendVerdict
}

/** Returns the indices of the devices that computed. */
export function deviceIndices(devices: readonly ComputedDevice[]): readonly number[] {
  return devices.map(({ index }, at) => index ?? at)
}

/**
 * Computes on each device of one backend, or on the given one, in a child, and compares with the CPU. Throws the
 * problem; some libraries end the process or hang.
 */
export type ProbeBackend = (
  runtime: RuntimePaths,
  candidate: BackendCandidate,
  deviceIndex?: number,
) => Promise<readonly ComputedDevice[]>

/** Paths of the native libraries: inside node_modules in development, unpacked by the executable otherwise. */
export interface RuntimePaths {
  /** Absolute path of node-llama-cpp's `package.json`. The packages of llama.cpp's libraries lie beside its folder. */
  readonly nodeLlamaCpp: string
  /** Absolute path of the library that loads llama.cpp into a process; its other libraries lie beside it. */
  readonly llamaCore: string
  /** Folder of the addons `inferd-llama.cpu.node` and `inferd-speech.node`. */
  readonly addons: string
  /** Absolute path of ONNX Runtime's binding; its libraries lie beside it. */
  readonly onnxRuntime: string
  /** Absolute path of the tokenizers' binding. */
  readonly tokenizers: string
  /** Absolute path of sherpa-onnx's addon; its libraries lie beside it. */
  readonly sherpaOnnx: string
  /** Absolute path of the voice activity model for models without their own. */
  readonly starterVad: string
  /** Absolute path of the starter chat model, with which backends are probed. */
  readonly starterChat: string
  /** Backends of this machine in order of preference. Absent if none were probed. */
  readonly backends?: Readonly<Partial<Record<ProbedKind, readonly JudgedBackend[]>>>
}

/** A device as the engine's libraries see it, in their order. */
export interface EngineDevice {
  readonly name: string
  /** True if it uses the host's memory. */
  readonly isIntegrated: boolean
  /** 0 if its driver does not report it. */
  readonly totalBytes: number
  readonly freeBytes: number
}
