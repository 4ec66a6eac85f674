/** Parts of a memory from left to right. Pure. */
import type { MemoryOnPage } from '../../../src/wire/pages/live.ts'

export interface Segment {
  /** `several` stands for several small segments. */
  readonly kind: 'model' | 'server' | 'reserved' | 'other' | 'several' | 'free'
  readonly model: string | undefined
  readonly bytes: number
  readonly isMeasured: boolean
  /** Segments merged into this one. Empty unless `kind` is `several`. */
  readonly merged: readonly Segment[]
  /** Weights and cache of a model, 0 if only the total is known. */
  readonly weightsBytes: number
  readonly cacheBytes: number
}

export type Bar = MemoryOnPage & { readonly server_bytes?: number }

/** Share of the memory below which segments are hard to see. */
const smallShare = 0.02

const plain = { model: undefined, isMeasured: true, merged: [], weightsBytes: 0, cacheBytes: 0 }

/** Returns segments that add up to the whole known memory. Parts without bytes are left out. */
export function segmentsOf(bar: Bar): readonly Segment[] {
  const free = Math.max(0, (bar.free_bytes ?? 0) - bar.reserved_bytes)
  const used: readonly Segment[] = [
    ...bar.models.map(({ model, weights_bytes, cache_bytes, other_bytes, is_measured: isMeasured }): Segment => {
      const bytes = weights_bytes + cache_bytes + other_bytes
      const parts = { weightsBytes: weights_bytes, cacheBytes: cache_bytes }
      return { ...plain, kind: 'model', model, bytes, isMeasured, ...parts }
    }),
    { ...plain, kind: 'server', bytes: bar.server_bytes ?? 0 },
    { ...plain, kind: 'reserved', bytes: bar.reserved_bytes },
    { ...plain, kind: 'other', bytes: bar.other_bytes ?? 0 },
  ]
  return [...used, { ...plain, kind: 'free' as const, bytes: free }].filter(({ bytes }) => bytes > 0)
}

/** Returns the segments. If several are below 2 %, they are merged into one before the free part. */
export function mergedSegments(segments: readonly Segment[]): readonly Segment[] {
  const total = sumOf(segments)
  const isSmall = ({ kind, bytes }: Segment) => kind !== 'free' && bytes < total * smallShare
  const small = segments.filter(isSmall)
  if (small.length < 2) return segments
  const several: Segment = { ...plain, kind: 'several', bytes: sumOf(small), merged: small }
  const isFree = ({ kind }: Segment) => kind === 'free'
  const large = segments.filter((segment) => !isSmall(segment))
  return [...large.filter((each) => !isFree(each)), several, ...large.filter(isFree)]
}

function sumOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0)
}
