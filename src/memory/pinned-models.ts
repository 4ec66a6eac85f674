import { Store } from '../db/rows.ts'

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
