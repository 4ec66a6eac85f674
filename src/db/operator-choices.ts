import { Store } from './rows.ts'

interface AcceptedLicense {
  /** SPDX id, or `LicenseRef-…`. */
  readonly license: string
  /** `sha256:…` of the accepted text, or the address where it can be read. */
  readonly text: string
  /** First model that required it. */
  readonly modelId: string
  readonly actor: string
  readonly createdMs: number
}

/** Licences that the operator has accepted. Writes belong in a transaction. */
export class AcceptedLicenses extends Store {
  /** Records an acceptance. Returns whether it is the first. */
  accept({ license, text, modelId, actor }: Omit<AcceptedLicense, 'createdMs'>): boolean {
    const sql = `INSERT INTO accepted_licenses (license, text, model_id, actor, created)
      VALUES (:license, :text, :modelId, :actor, :created) ON CONFLICT DO NOTHING`
    return this.write(sql, { license, text, modelId, actor, created: this.clock() }) > 0
  }

  /** Lists the licences by name. */
  list(): AcceptedLicense[] {
    return this.all(
      'SELECT license, text, model_id AS modelId, actor, created AS createdMs FROM accepted_licenses ORDER BY license, text',
    )
  }
}

/** Models that stay loaded, by their canonical ids. Writes belong in a transaction. */
export class PinnedModels extends Store {
  /** Pins a model. Returns false if it was pinned already. */
  add(modelId: string): boolean {
    const sql = 'INSERT OR IGNORE INTO pinned_models (model_id, created) VALUES (:modelId, :now)'
    return this.write(sql, { modelId, now: this.clock() }) > 0
  }

  /** Unpins a model. Returns false if it was not pinned. */
  remove(modelId: string): boolean {
    return this.write('DELETE FROM pinned_models WHERE model_id = :modelId', { modelId }) > 0
  }

  /** Lists pinned models in the order of pinning. */
  list(): string[] {
    const sql = 'SELECT model_id FROM pinned_models ORDER BY created, rowid'
    return this.all<{ model_id: string }>(sql).map(({ model_id: modelId }) => modelId)
  }
}
