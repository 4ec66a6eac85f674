import { dayMs } from '../core/durations.ts'
import type { MemoryBytes } from '../core/memory.ts'
import { Store } from '../db/rows.ts'
import { maximumOf, type RecalledMemory } from './reservation.ts'

/** Everything that a model's memory depends on. Measurements apply only if all parts are equal. */
export interface MeasurementKey {
  readonly modelId: string
  /** Version of the files: the checksums in their lock, or their versions on this disk. */
  readonly files: string
  /** Settings of the engine, without those that do not affect memory. */
  readonly settings: Readonly<Record<string, unknown>>
  /** `Placement.key`. */
  readonly placement: string
  /** Engine, its version, devices and drivers, such as `llama 0.1.0, NVIDIA H100 80GB HBM3, driver 570.86.15`. */
  readonly backend: string
}

interface Recalled extends RecalledMemory {
  /** Mean load time. Undefined before the first load. */
  readonly loadMs: number | undefined
}

interface Measured {
  /** Highest use while the model is loaded. */
  readonly peakBytes: MemoryBytes
  /** Amount by which the peak exceeds the estimate. */
  readonly overheadBytes: MemoryBytes
  /** Duration of the load. Absent if this load was recorded before. */
  readonly loadMs?: number | undefined
}

interface Row {
  readonly peak: string
  readonly overhead: string
  readonly loads: number
  readonly load_ms: number | null
}

/** Number of loads over which the mean load time is taken, approximately. */
const loadsOfMean = 5

/** Time to keep unused measurements, whose files, settings or drivers have changed by then. */
const keptMs = 180 * dayMs

/** Measured memory of loaded models. Writes belong in a transaction. */
export class MeasuredMemory extends Store {
  recall(key: MeasurementKey): Recalled {
    const own = this.#row(key)
    const sql = 'SELECT overhead FROM measured_memory WHERE backend = :backend'
    const others = this.all<Pick<Row, 'overhead'>>(sql, { backend: key.backend })
    return {
      peakBytes: own === undefined ? {} : JSON.parse(own.peak),
      overheadBytes: others.map(({ overhead }): MemoryBytes => JSON.parse(overhead)).reduce(maximumOf, {}),
      loadMs: own?.load_ms ?? undefined,
    }
  }

  /** Returns each model's measured memory at its last load, in any placement. */
  latest(): ReadonlyMap<string, MemoryBytes> {
    // SQLite takes the other columns from the row with the maximum.
    const sql = 'SELECT model_id, peak, MAX(last_used) FROM measured_memory GROUP BY model_id'
    const rows = this.all<{ model_id: string; peak: string }>(sql)
    return new Map(rows.map(({ model_id: modelId, peak }) => [modelId, JSON.parse(peak)]))
  }

  /** Returns each model's mean load time in milliseconds, in the placement of its last load. */
  latestLoads(): ReadonlyMap<string, number> {
    const sql = `SELECT model_id, load_ms, MAX(last_used) FROM measured_memory
      WHERE load_ms IS NOT NULL GROUP BY model_id`
    const rows = this.all<{ model_id: string; load_ms: number }>(sql)
    return new Map(rows.map(({ model_id: modelId, load_ms: loadMs }) => [modelId, loadMs]))
  }

  /** Records a measurement. Keeps the highest values of all. */
  record(key: MeasurementKey, { peakBytes, overheadBytes, loadMs }: Measured): void {
    const known = this.#row(key)
    const loads = (known?.loads ?? 0) + (loadMs === undefined ? 0 : 1)
    const earlierMs = known?.load_ms ?? undefined
    const sql = `INSERT OR REPLACE INTO measured_memory
      (key, model_id, backend, peak, overhead, loads, load_ms, last_used)
      VALUES (:key, :modelId, :backend, :peak, :overhead, :loads, :loadMs, :now)`
    this.write(sql, {
      key: textOf(key),
      modelId: key.modelId,
      backend: key.backend,
      peak: JSON.stringify(maximumOf(known === undefined ? {} : JSON.parse(known.peak), peakBytes)),
      overhead: JSON.stringify(maximumOf(known === undefined ? {} : JSON.parse(known.overhead), overheadBytes)),
      loads,
      loadMs: loadMs === undefined ? earlierMs : mean(earlierMs, loadMs, loads),
      now: this.clock(),
    })
    this.write('DELETE FROM measured_memory WHERE last_used < :limit', { limit: this.clock() - keptMs })
  }

  #row(key: MeasurementKey): Row | undefined {
    return this.first<Row>('SELECT peak, overhead, loads, load_ms FROM measured_memory WHERE key = :key', {
      key: textOf(key),
    })
  }
}

function mean(earlierMs: number | undefined, latestMs: number, loads: number): number {
  if (earlierMs === undefined) return latestMs
  return earlierMs + (latestMs - earlierMs) / Math.min(loads, loadsOfMean)
}

/** Returns the key as text, the same for any order of settings. */
export function textOf({ modelId, files, settings, placement, backend }: MeasurementKey): string {
  const sorted = Object.entries(settings).sort(([first], [second]) => (first < second ? -1 : 1))
  const hasher = new Bun.CryptoHasher('sha256')
  return hasher.update(JSON.stringify([modelId, files, sorted, placement, backend])).digest('hex')
}
