/** Messages for operators about backends that do not compute or have not been probed yet. Pure. */
import type { EngineKind } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { type GpuSigns, gpuSignWords, hasAnyGpu } from '../../machine/gpu-signs.ts'
import { type JudgedBackend, type ProbedKind, probedKind, type RuntimePaths } from '../protocol/backend.ts'

export interface BackendProblem {
  readonly text: string
  readonly advice: string
  /** `bad` if only the CPU computes for this kind of engine although there is a GPU. */
  readonly severity: 'bad' | 'warn'
}

const kindNames: Readonly<Record<ProbedKind, string>> = { llama: 'chat models', onnx: 'other models' }

/** Returns the problems of the probed backends, the worst of each kind first, and cards without a backend. */
export function backendProblems(judged: readonly JudgedBackend[], signs: GpuSigns): readonly BackendProblem[] {
  const failures = judged.flatMap((backend, index): BackendProblem[] => {
    const { kind, label, verdict } = backend
    if (verdict.state === 'computes') return partProblems(backend)
    if (verdict.state !== 'fails' || judged.slice(0, index).some((before) => failsAlike(before, backend))) return []
    const used = judged.find((each) => each.kind === kind && each.verdict.state === 'computes')
    const isOnCpu = used === undefined || used.backend === 'cpu'
    const instead = `${kindNames[kind]} use ${used?.label ?? 'nothing'} instead`
    return [
      {
        text: `${label} does not compute: ${verdict.reason}; ${instead}`,
        advice: verdict.nextStep,
        severity: isOnCpu ? 'bad' : 'warn',
      },
    ]
  })
  return [...failures, ...withoutLibrary(judged, signs)]
}

/** Returns problems of devices that failed while the backend computes on others. */
function partProblems({ label, verdict }: JudgedBackend): BackendProblem[] {
  if (verdict.state !== 'computes') return []
  return (verdict.failing ?? []).map(({ index, reason, nextStep }) => ({
    text: `${label} does not compute on gpu${index}: ${reason}; models use the other cards`,
    advice: nextStep,
    severity: 'warn',
  }))
}

/** Returns whether two candidates of one library fail for the same reason. */
function failsAlike(one: JudgedBackend, other: JudgedBackend): boolean {
  const isSame = one.kind === other.kind && one.library === other.library
  return (
    isSame &&
    one.verdict.state === 'fails' &&
    other.verdict.state === 'fails' &&
    one.verdict.reason === other.verdict.reason
  )
}

/**
 * Returns problems of cards that the driver reports but no shipped library supports. ONNX Runtime computes only on
 * NVIDIA's cards.
 */
function withoutLibrary(judged: readonly JudgedBackend[], signs: GpuSigns): readonly BackendProblem[] {
  // An empty list means that the libraries have not been located yet.
  if (judged.length === 0 || !hasAnyGpu(signs)) return []
  const isNvidia = signs.nvidiaDriver !== undefined || signs.hasLibcuda
  const lacks = (kind: ProbedKind) => !judged.some((each) => each.kind === kind && each.backend !== 'cpu')
  const advice = isNvidia
    ? "'./install.sh --cuda' in inferd's sources builds inferd-cuda, which has one"
    : "'./install.sh' in inferd's sources builds a program that has one"
  const here = `${gpuSignWords(signs)} is here, and this program has no library`
  if (lacks('llama')) return [{ text: `${here} that computes on it: models use the CPU`, advice, severity: 'bad' }]
  if (!isNvidia || !lacks('onnx')) return []
  const text = `${here} that computes embeddings, reranking, speech and speakers on it: these use the CPU`
  return [{ text, advice, severity: 'warn' }]
}

/** Returns a sentence for each backend that is being probed now. */
export function backendsTried(judged: readonly JudgedBackend[]): readonly string[] {
  return judged.flatMap(({ label, kind, verdict }) => {
    if (verdict.state !== 'trying') return []
    const how = verdict.compiles ? ': compiling for this card, once' : ''
    return [`${label} is being tried${how}; ${kindNames[kind]} that are to be loaded wait for it`]
  })
}

/** Returns the name of the backend that a loaded model computes with; undefined for an engine that has no choice. */
export function usedBackend(
  engine: EngineKind,
  { device }: Pick<EngineInfo, 'device'>,
  { backends }: Pick<RuntimePaths, 'backends'>,
): string | undefined {
  const kind = probedKind(engine)
  const judged = kind === undefined ? [] : (backends?.[kind] ?? [])
  return judged.find(({ backend, verdict }) => backend === device && verdict.state === 'computes')?.label
}
