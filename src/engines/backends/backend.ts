/** Backends: the libraries with which an engine computes, and whether they were seen to compute here. */

/** An engine whose backends are probed: `llama` for llama.cpp, `onnx` for ONNX Runtime, which speech uses too. */
export type ProbedKind = 'llama' | 'onnx'

/** Names a user can give as `--device`. */
export type BackendName = 'cuda' | 'vulkan' | 'cpu'

export interface BackendCandidate {
  /** Unique within its kind: `cuda`, `cuda-12`, `vulkan`, `cpu`. */
  readonly id: string
  readonly kind: ProbedKind
  readonly backend: BackendName
  /** Name for operators: `CUDA 12 build`. */
  readonly label: string
  /** Absolute path of the library that drives the device. Absent for the CPU. */
  readonly library?: string
}

/** A device on which a probe got the CPU's numbers. */
export interface ComputedDevice {
  readonly name: string
}

export type BackendVerdict =
  /** It computed what the CPU computes. The CPU itself is not probed. */
  | { readonly state: 'computes'; readonly devices: readonly ComputedDevice[]; readonly tookMs: number }
  | { readonly state: 'fails'; readonly reason: string; readonly nextStep: string; readonly lines: readonly string[] }
  /** There is no device for it, so that nothing was tried. */
  | { readonly state: 'no-device' }

export interface JudgedBackend extends BackendCandidate {
  readonly verdict: BackendVerdict
}
