/** Fake model files, which define the model's need and its load. Other files count by their size. */
import { readFileSync } from 'node:fs'
import type { MemoryBreakdown, MemoryBytes, Placement } from '../../core/memory.ts'
import type { LoadFailure } from '../../core/model-state.ts'
import type { PlacementRequest } from '../protocol/engine.ts'
import { LoadError } from '../protocol/load-error.ts'
import { placementByFileSize } from '../shared/placement-by-file-size.ts'

export interface FakeModelFile {
  readonly needBytes: MemoryBytes
  /** Memory that its engine reports as allocated. */
  readonly memory?: MemoryBreakdown
  /** Tokens in its cache, and the cache's capacity. */
  readonly cacheTokens?: number
  readonly cacheLimitTokens?: number
  /** Path of a FIFO. The load waits for a write to it. */
  readonly gate?: string
  /** Failure of the load. Absent if it succeeds. */
  readonly failure?: LoadFailure
}

const suffix = '.fake.json'
const bySize = placementByFileSize(1.2)

function readModelFile(filePaths: Readonly<Record<string, string>>): FakeModelFile | undefined {
  const path = Object.values(filePaths).find((each) => each.endsWith(suffix))
  return path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8'))
}

export async function fakePlacements(request: PlacementRequest<unknown>): Promise<readonly Placement[]> {
  const file = readModelFile(request.model.filePaths)
  if (file === undefined) return bySize(request)
  return [{ key: 'fake', label: 'fake', needBytes: file.needBytes, load: {} }]
}

/** Resolves with the file's content when the model counts as loaded. */
export async function loadFakeModel(filePaths: Readonly<Record<string, string>>): Promise<Partial<FakeModelFile>> {
  const file = readModelFile(filePaths) ?? {}
  const { gate, failure }: Partial<FakeModelFile> = file
  if (gate !== undefined) await Bun.file(gate).text()
  if (failure !== undefined) throw new LoadError(failure, `its file says ${failure}`)
  return file
}
