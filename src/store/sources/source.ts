import type { Catalog } from '../../catalog/catalog.ts'
import type { ModelPlan } from '../plan.ts'
import type { Hub } from './hub.ts'

export interface SourceContext {
  readonly catalog: Catalog
  readonly hub: Hub
  readonly signal: AbortSignal
  /** Which model it becomes, where the source does not name one of the catalog. Its form has been checked. */
  readonly id: string | undefined
  /** What the operator knows of the file. */
  readonly sha256: string | undefined
  /** The projector beside the model is wanted too. */
  readonly withProjector: boolean
  /** The model may take the place of one that is there. */
  readonly isForced: boolean
}

export interface SourcePlan {
  readonly plan: ModelPlan
  /** What the operator may want to know. */
  readonly notes: readonly string[]
  /** The catalog does not know the model: its manifest has to be written. */
  readonly isNew: boolean
}

/** A kind of source. */
export interface Source {
  /** For people. */
  readonly form: string
  readonly pattern: RegExp
  /** Throws PlanError and WebError. */
  readonly plan: (text: string, context: SourceContext) => Promise<SourcePlan>
}
