/** Machines with models for random histories. Small numbers make every case frequent. */
import type { Placement, PoolId } from '../../core/memory.ts'
import type { ModelSettings, SchedulerSettings } from '../../scheduler/settings.ts'

const GiB = 1024 ** 3

export interface Box {
  readonly pools: readonly { readonly id: PoolId; readonly totalBytes: number; readonly limitBytes?: number }[]
  readonly models: readonly BoxModel[]
}

export interface BoxModel {
  readonly id: string
  /** Placements by GiB per pool, with a rank if several are equal. */
  readonly placements: readonly { readonly gib: Readonly<Record<PoolId, number>>; readonly rank?: number }[]
  readonly settings?: Partial<ModelSettings>
}

const chat = (id: string, gib: number, settings?: Partial<ModelSettings>): BoxModel => ({
  id,
  placements: [{ gib: { gpu0: gib, host: 0.5 } }, { gib: { gpu0: gib * 0.9, host: 0.5 } }, { gib: { host: gib } }],
  ...(settings && { settings }),
})

const onHost = (id: string, gib: number, settings?: Partial<ModelSettings>): BoxModel => ({
  id,
  placements: [{ gib: { host: gib } }],
  ...(settings && { settings }),
})

const onEither = (id: string, gib: number): BoxModel => ({
  id,
  placements: [
    { gib: { gpu0: gib, host: 0.5 }, rank: 0 },
    { gib: { gpu1: gib, host: 0.5 }, rank: 0 },
    { gib: { gpu0: gib / 2, gpu1: gib / 2, host: 0.5 }, rank: 1 },
  ],
})

export const boxes: readonly Box[] = [
  {
    pools: [
      { id: 'gpu0', totalBytes: 24 * GiB },
      { id: 'host', totalBytes: 64 * GiB },
    ],
    models: [
      chat('a', 10, { maxWaiting: 3 }),
      chat('b', 12, { keepAliveMs: 30_000 }),
      chat('c', 20),
      chat('d', 5, { preload: true }),
      { id: 'encoder', placements: [{ gib: { gpu0: 1 } }, { gib: { host: 1 } }] },
      chat('huge', 40),
      { id: 'remote', placements: [{ gib: {} }], settings: { preload: true, overlaps: true } },
    ],
  },
  {
    pools: [{ id: 'host', totalBytes: 24 * GiB, limitBytes: 16 * GiB }],
    models: [
      onHost('a', 6, { maxWaiting: 3 }),
      onHost('b', 7, { places: 1, parallel: 1 }),
      onHost('c', 9),
      onHost('encoder', 1, { pinned: true }),
      onHost('too-large', 17),
    ],
  },
  {
    pools: [
      { id: 'gpu0', totalBytes: 24 * GiB },
      { id: 'gpu1', totalBytes: 24 * GiB },
      { id: 'host', totalBytes: 64 * GiB },
    ],
    models: [onEither('a', 20), onEither('b', 14), onEither('c', 8), onEither('d', 40), onHost('encoder', 2)],
  },
]

/** Returns a box for trials, with a GPU of 24 GiB. */
export function gpuBox(models: readonly BoxModel[]): Box {
  const pools = [
    { id: 'gpu0', totalBytes: 24 * GiB },
    { id: 'host', totalBytes: 64 * GiB },
  ]
  return { pools, models }
}

/** Returns a model with two placements, both on the GPU only. */
export function chatModel(id: string, gib: number, settings: Partial<ModelSettings> = {}): BoxModel {
  return { id, placements: [{ gib: { gpu0: gib } }, { gib: { gpu0: gib * 0.8 } }], settings }
}

export function settingsOf({ pools, models }: Box): SchedulerSettings {
  return {
    pools: Object.fromEntries(pools.map(({ id, limitBytes }) => [id, limitBytes === undefined ? {} : { limitBytes }])),
    models: models.map(({ id, settings }) => ({
      ...{ id, revision: '1', parallel: 2, places: 3, maxWaiting: 8, pinned: false, preload: false, loadMs: 5_000 },
      ...settings,
    })),
  }
}

export function placementsOf({ models }: Box, model: string): readonly Placement[] {
  const placements = models.find(({ id }) => id === model)?.placements ?? []
  return placements.map(({ gib, rank }, index) => ({
    key: `${model}-${index}`,
    label: `placement ${index}`,
    needBytes: Object.fromEntries(Object.entries(gib).map(([pool, size]) => [pool, size * GiB])),
    load: {},
    ...(rank !== undefined && { rank }),
  }))
}
