/** The file of a fake model says what the model needs and how its load goes. Other files are taken by their size alone. */
import { readFileSync } from 'node:fs'
import type { MemoryBreakdown, MemoryBytes, Placement } from '../../core/memory.ts'
import type { PlacementRequest } from '../engine.ts'
import { LoadError } from '../load-error.ts'
import { placementByFileSize } from '../placement-by-file-size.ts'
import type { LoadFailure } from '../protocol.ts'

export interface FakeModelFile {
  readonly needBytes: MemoryBytes
  /** What its engine tells that it has allocated. */
  readonly memory?: MemoryBreakdown
  /** Tokens that its cache holds, and has room for. */
  readonly cacheTokens?: number
  readonly cacheLimitTokens?: number
  /** A FIFO: the load waits until something is written to it. */
  readonly gate?: string
  /** The load fails. */
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

/** Resolves with what its file says of it when the model counts as loaded. */
export async function loadFakeModel(filePaths: Readonly<Record<string, string>>): Promise<Partial<FakeModelFile>> {
  const file = readModelFile(filePaths) ?? {}
  const { gate, failure }: Partial<FakeModelFile> = file
  if (gate !== undefined) await Bun.file(gate).text()
  if (failure !== undefined) throw new LoadError(failure, `its file says ${failure}`)
  return file
}
