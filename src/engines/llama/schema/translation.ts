import type { SchemaOrigin } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { fromEntries } from './keywords.ts'
import type { Pauses } from './pauses.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { schemaLimits } from './schema-limits.ts'

/** Joining can make a short schema long: the work may grow with the text, not beyond. */
const minSteps = 200
const charactersPerStep = 8

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

interface Definition {
  readonly name: string
  /** As the caller wrote it. */
  readonly schema: JsonObject
  readonly place: string
}

/**
 * What is known while one schema is translated: its definitions, by the place they are referred to, and how much work
 * was done. Definitions are given names of our own where the converter would mix theirs up.
 */
export class Translation {
  readonly #root: JsonObject
  readonly #origin: SchemaOrigin
  readonly #pauses: Pauses
  readonly #byPointer = new Map<string, Definition>()
  readonly #bySchema = new Map<JsonObject, Definition>()
  /** Names as the converter sees them: it takes `a_b` and `a.b` for the same. */
  readonly #usedNames = new Set<string>()
  readonly #waiting: Definition[] = []
  readonly #maxSteps: number
  #steps = 0

  constructor(root: JsonObject, origin: SchemaOrigin, pauses: Pauses) {
    this.#maxSteps = Math.min(schemaLimits.nodes, minSteps + JSON.stringify(root).length / charactersPerStep)
    this.#root = root
    this.#origin = origin
    this.#pauses = pauses
  }

  /** Counts one schema; throws ApiError 400 when there are too many. */
  step(place: string): void {
    this.#steps++
    if (this.#steps > this.#maxSteps) throw this.error(place, 'it has too many parts, or says too much in few words')
  }

  /** To be awaited before each part. */
  pause(): Promise<void> {
    return this.#pauses.take()
  }

  error(place: string, problem: string): Error {
    return invalidSchema(this.#origin.path, place, problem)
  }

  /** For what cannot be held: throws ApiError 400 when the caller insists on it, else it is left out. */
  unsupported(place: string, keyword: string, why = 'an answer cannot be held to it'): void {
    if (this.#origin.isStrict) throw this.error(place, `keyword '${keyword}' is not supported (${why})`)
  }

  /** What `true` and `false` stand for, or the schema itself. Throws ApiError 400 for anything else. */
  asSchema(value: JsonValue | undefined, place: string): JsonObject {
    if (value === true) return {}
    if (value === false) return { not: {} }
    if (isObject(value)) return value
    throw this.error(place, 'a schema must be an object or a boolean')
  }

  /** The schema that `$ref` names, as written. Throws ApiError 400 when it names none. */
  resolve(reference: JsonValue, place: string): { readonly schema: JsonObject; readonly pointer: string } {
    if (typeof reference !== 'string') throw this.error(place, "'$ref' must be a string")
    const found = resolvePointer(this.#root, reference)
    if (found === undefined) throw this.error(place, `$ref '${reference.slice(0, 100)}' leads to nothing`)
    return { schema: this.asSchema(found.value, place), pointer: found.pointer }
  }

  /** The translated form of a `$ref`: to a definition that will be there. */
  refer(reference: JsonValue, place: string): string {
    const { schema, pointer } = this.resolve(reference, place)
    let definition = this.#byPointer.get(pointer)
    if (definition === undefined) {
      const name = this.#newName(pointer.split('/').at(-1) ?? '')
      definition = { name, schema, place: `#${pointer}` }
      this.#byPointer.set(pointer, definition)
      this.#waiting.push(definition)
    }
    return `#/$defs/${definition.name}`
  }

  /** Makes a part of the document a definition, so that it can contain itself. */
  define(schema: JsonObject, part: JsonObject, place: string): string {
    let definition = this.#bySchema.get(schema)
    if (definition === undefined) {
      definition = { name: this.#newName('part'), schema: part, place }
      this.#bySchema.set(schema, definition)
      this.#waiting.push(definition)
    }
    return `#/$defs/${definition.name}`
  }

  /** Translates definitions until none is left: each may refer to further ones. */
  async definitions(translate: (schema: JsonObject, place: string) => Promise<JsonObject>): Promise<JsonObject> {
    const done: [string, JsonObject][] = []
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      done.push([next.name, await translate(next.schema, next.place)])
    }
    return fromEntries(done)
  }

  #newName(wanted: string): string {
    const base = wanted.replace(/[^a-zA-Z0-9_-]/g, '-').slice(0, 64) || 'root'
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}-${count}`
      const seen = name.replace(/[^a-zA-Z0-9-]+/g, '-')
      if (this.#usedNames.has(seen)) continue
      this.#usedNames.add(seen)
      return name
    }
  }
}
