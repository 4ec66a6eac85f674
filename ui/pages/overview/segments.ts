/** The parts of a memory, from the left. Pure. */
import type { DeviceOnPage, MemoryOnPage } from '../../../src/wire/pages/live.ts'

export interface Segment {
  readonly kind: 'weights' | 'cache' | 'compute' | 'server' | 'reserved' | 'other' | 'free'
  readonly model: string | undefined
  readonly bytes: number
  readonly isMeasured: boolean
}

export type Bar = MemoryOnPage & Partial<Pick<DeviceOnPage, 'name'>> & { readonly server_bytes?: number }

/** Together they are the whole memory, as far as it is known. Nothing is a part without bytes. */
export function segmentsOf(bar: Bar): readonly Segment[] {
  const ofModels = bar.models.flatMap(({ model, weights_bytes, cache_bytes, other_bytes, is_measured: isMeasured }) => [
    { kind: 'weights' as const, model, bytes: weights_bytes, isMeasured },
    { kind: 'cache' as const, model, bytes: cache_bytes, isMeasured },
    { kind: 'compute' as const, model, bytes: other_bytes, isMeasured },
  ])
  const free = Math.max(0, (bar.free_bytes ?? 0) - bar.reserved_bytes)
  const rest = [
    { kind: 'server' as const, bytes: bar.server_bytes ?? 0 },
    { kind: 'reserved' as const, bytes: bar.reserved_bytes },
    { kind: 'other' as const, bytes: bar.other_bytes ?? 0 },
    { kind: 'free' as const, bytes: free },
  ].map((part) => ({ ...part, model: undefined, isMeasured: true }))
  return [...ofModels, ...rest].filter(({ bytes }) => bytes > 0)
}
