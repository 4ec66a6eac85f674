import { dayMs } from '../core/durations.ts'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import { Store } from '../db/rows.ts'

/** Everything that the result of a dry run depends on. */
export interface DryRunKey {
  readonly modelId: string
  /** Manifest, files with their versions, and settings, as text. */
  readonly revision: string
  readonly budgetBytes: MemoryBytes
  /** Program with its version, backend, devices and drivers. */
  readonly machine: string
}

/** Time to keep unused rows, whose files, settings or drivers have changed for good. */
const keptMs = 180 * dayMs

/** Results of dry runs, which a restarted server need not repeat. Writes belong in a transaction. */
export class DryRuns extends Store {
  /** Returns the placements; undefined if no such dry run was made. */
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

/** A backend on one state of the machine: driver, cards, library and visible devices. */
interface BackendProbeKey {
  readonly kind: string
  readonly backend: string
  readonly machine: string
}

/** Backends that have computed, each with its last success. Writes belong in a transaction. */
export class BackendProbes extends Store {
  /** Returns the devices that computed. Undefined if the machine has changed since, or no success is known. */
  recall({ kind, backend, machine }: BackendProbeKey): readonly { readonly name: string }[] | undefined {
    const sql = 'SELECT devices FROM backend_probes WHERE kind = :kind AND backend = :backend AND machine = :machine'
    const row = this.first<{ devices: string }>(sql, { kind, backend, machine })
    return row && JSON.parse(row.devices)
  }

  record({ kind, backend, machine }: BackendProbeKey, devices: readonly { readonly name: string }[]): void {
    const sql = `INSERT OR REPLACE INTO backend_probes (kind, backend, machine, devices, created)
      VALUES (:kind, :backend, :machine, :devices, :now)`
    this.write(sql, { kind, backend, machine, devices: JSON.stringify(devices), now: this.clock() })
  }
}
