/** The backends of each kind of engine that has several, the best first. */

import type { BackendCandidate, ProbedKind, RuntimePaths } from '../protocol/backend.ts'
import { llamaCandidates } from './llama-candidates.ts'
import { onnxCandidates } from './onnx-candidates.ts'

export type CandidateTable = Readonly<
  Partial<Record<ProbedKind, (runtime: RuntimePaths) => readonly BackendCandidate[]>>
>

export const backendCandidates: CandidateTable = { llama: llamaCandidates, onnx: onnxCandidates }
