import { dayMs } from '../core/durations.ts'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import { Store } from '../db/rows.ts'

/** Everything that a dry run depends on. */
export interface DryRunKey {
  readonly modelId: string
  /** Manifest, files with their versions, and settings, as text. */
  readonly revision: string
  readonly budgetBytes: MemoryBytes
  /** Program with its version, backend, devices and drivers. */
  readonly machine: string
}

/** Files, settings or drivers of unused rows have changed for good. */
const keptMs = 180 * dayMs

/** Results of dry runs, so that a server that starts again need not repeat them. Writes belong in a transaction. */
export class DryRuns extends Store {
  /** Returns undefined if this was not tried before. */
  recall(key: DryRunKey): readonly Placement[] | undefined {
    const row = this.first<{ placements: string }>('SELECT placements FROM dry_runs WHERE key = :key', {
      key: hashOf(key),
    })
    return row && JSON.parse(row.placements)
  }

  record(key: DryRunKey, placements: readonly Placement[]): void {
    const sql = `INSERT OR REPLACE INTO dry_runs (key, model_id, placements, last_used)
      VALUES (:key, :modelId, :placements, :now)`
    const { modelId } = key
    this.write(sql, { key: hashOf(key), modelId, placements: JSON.stringify(placements), now: this.clock() })
    this.write('DELETE FROM dry_runs WHERE last_used < :limit', { limit: this.clock() - keptMs })
  }
}

function hashOf({ modelId, revision, budgetBytes, machine }: DryRunKey): string {
  const budget = Object.entries(budgetBytes).sort(([first], [second]) => (first < second ? -1 : 1))
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([modelId, revision, budget, machine])).digest('hex')
}
