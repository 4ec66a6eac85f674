import type { JsonValue } from '../../core/json.ts'

/** Where in a schema we are. */
export interface Place {
  /** As shown in errors, e.g. `properties.a.items`; empty for the root. */
  readonly path: string
  readonly depth: number
}

/** Keywords of a translated schema, not yet put together. */
export type Entries = (readonly [keyword: string, value: JsonValue | undefined])[]

/** The place of a part of the schema at `place`. */
export function below({ path, depth }: Place, step: string): Place {
  return { path: path === '' ? step : `${path}${step.startsWith('[') ? '' : '.'}${step}`, depth: depth + 1 }
}
