import { dayMs } from '../core/durations.ts'
import { readStepCurves, type StepCurve } from '../core/step-costs.ts'
import { Store } from '../db/rows.ts'
import { type MeasurementKey, textOf } from './measured-memory.ts'

/** Time to keep unused rows, whose files, settings or drivers have changed for good. */
const keptMs = 180 * dayMs

/** Step costs of models, with which the next load begins. Writes belong in a transaction. */
export class StepCurves extends Store {
  /** Returns the costs; none if no such load was measured. */
  recall(key: MeasurementKey): readonly StepCurve[] {
    const sql = 'SELECT curves FROM step_curves WHERE key = :key'
    return readStepCurves(this.first<{ curves: string }>(sql, { key: textOf(key) })?.curves ?? '[]')
  }

  /** Replaces the stored costs. */
  record(key: MeasurementKey, curves: readonly StepCurve[]): void {
    const sql = `INSERT OR REPLACE INTO step_curves (key, model_id, curves, last_used)
      VALUES (:key, :modelId, :curves, :now)`
    this.write(sql, {
      key: textOf(key),
      modelId: key.modelId,
      curves: JSON.stringify(curves),
      now: this.clock(),
    })
    this.write('DELETE FROM step_curves WHERE last_used < :limit', { limit: this.clock() - keptMs })
  }
}
