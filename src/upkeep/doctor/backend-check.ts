/** The doctor's check of GPUs: those that are there must compute. */
import type { JudgedBackend, ProbedKind } from '../../engines/backends/backend.ts'
import { backendProblems } from '../../engines/backends/backend-words.ts'
import { type GpuSigns, gpuSignWords, hasAnyGpu } from '../../machine/gpu-signs.ts'
import type { Finding } from './check.ts'

/**
 * A problem where a GPU is there and models run on the CPU, or nobody knows; a warning where the next best backend computes.
 * `judged`: after all were tried that a load would try.
 */
export function backendFindings(judged: readonly JudgedBackend[], signs: GpuSigns): readonly Finding[] {
  const computing = judged.flatMap(({ label, kind, backend, verdict }): Finding[] => {
    if (verdict.state !== 'computes' || backend === 'cpu') return []
    const names = verdict.devices.map(({ name }) => name).join(', ')
    return [{ verdict: 'ok', text: `${label} computes for engine "${kind}" on ${names}` }]
  })
  const problems = backendProblems(judged).map(
    ({ text, advice, isOnCpu }): Finding => ({ verdict: isOnCpu ? 'bad' : 'warn', text, advice }),
  )
  return [
    ...computing,
    ...problems,
    ...(hasAnyGpu(signs) ? [...withoutLibrary(judged, signs), ...unknown(judged)] : []),
  ]
}

/** The driver shows a card for which this program brings nothing. ONNX Runtime computes on NVIDIA's cards alone. */
function withoutLibrary(judged: readonly JudgedBackend[], signs: GpuSigns): readonly Finding[] {
  const isNvidia = signs.nvidiaDriver !== undefined || signs.hasLibcuda
  const lacks = (kind: ProbedKind) => !judged.some((each) => each.kind === kind && each.backend !== 'cpu')
  const advice = isNvidia
    ? "'./install.sh --cuda' in inferd's sources builds inferd-cuda, which has one"
    : "'./install.sh' in inferd's sources builds a program that has one"
  const here = `${gpuSignWords(signs)} is here, and this program has no library`
  if (lacks('llama')) return [{ verdict: 'bad', text: `${here} that computes on it: models use the CPU`, advice }]
  if (!isNvidia || !lacks('onnx')) return []
  const text = `${here} that computes embeddings, reranking, speech and speakers on it: these use the CPU`
  return [{ verdict: 'warn', text, advice }]
}

/** Backends that a load would try, and that were not tried to their end. */
function unknown(judged: readonly JudgedBackend[]): readonly Finding[] {
  const open = judged.filter(({ kind, verdict }) => {
    const isComputing = judged.some((each) => each.kind === kind && isComputingOnGpu(each))
    return verdict.state === 'untried' && !isComputing
  })
  if (open.length === 0) return []
  return [
    {
      verdict: 'bad',
      text: `a GPU is here, and whether models compute on it is not known: ${open.map(({ label }) => label).join(', ')} gave no result in time`,
      advice:
        "'inferd gpu probe' waits for each, and says what is wrong; a driver that compiles for a new card takes minutes, once",
    },
  ]
}

function isComputingOnGpu({ backend, verdict }: JudgedBackend): boolean {
  return backend !== 'cpu' && verdict.state === 'computes'
}
