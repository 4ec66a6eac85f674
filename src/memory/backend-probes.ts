import { Store } from '../db/rows.ts'

/** A backend on one state of the machine: driver, cards, library and visible devices. */
export interface BackendProbeKey {
  readonly kind: string
  readonly backend: string
  readonly machine: string
}

/** Backends that were seen to compute; of each the last time. Writes belong in a transaction. */
export class BackendProbes extends Store {
  /** Returns the devices that computed. Undefined if the machine has changed since, or nothing was seen. */
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
