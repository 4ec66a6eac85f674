import type { SchemaOrigin } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { pointerOf, valueAt } from './json-pointer.ts'
import type { Pauses } from './pauses.ts'
import { schemaLimits } from './schema-limits.ts'
import { type TextForm, type TextLimits, textForm } from './text-form.ts'

/** Minimum steps of work. Joining can enlarge a short schema, so work may grow only with the text. */
const minSteps = 200
const charactersPerStep = 8

/** Keywords of a translated schema, not yet put together. */
export type Entries = (readonly [keyword: string, value: JsonValue | undefined])[]

interface Definition {
  readonly name: string
  /** Schema as the caller wrote it. */
  readonly schema: JsonObject
  readonly place: Place
}

/** State of the translation of one schema. */
class Translation {
  readonly root: JsonObject
  readonly origin: SchemaOrigin
  readonly pauses: Pauses
  /** Definitions by the place that references name, or by their original schema. */
  readonly definitions = new Map<string | JsonObject, Definition>()
  /** Names as the converter sees them: to it `a_b` and `a.b` are the same. */
  readonly usedNames = new Set<string>()
  stepsLeft: number
  textRulesLeft: number = schemaLimits.textRules
  /** Forms of texts by their limits; undefined if there were no rules left. */
  readonly textForms = new Map<string, TextForm | undefined>()

  constructor(root: JsonObject, origin: SchemaOrigin, pauses: Pauses) {
    this.root = root
    this.origin = origin
    this.pauses = pauses
    this.stepsLeft = Math.min(schemaLimits.nodes, minSteps + JSON.stringify(root).length / charactersPerStep)
  }
}

/** Place in a schema that is being translated. */
export class Place {
  readonly depth: number
  /** Path for errors, e.g. `properties.a.items`; empty for the root. */
  readonly #path: string
  readonly #translation: Translation

  private constructor(translation: Translation, path: string, depth: number) {
    this.#translation = translation
    this.#path = path
    this.depth = depth
  }

  static root(...schema: ConstructorParameters<typeof Translation>): Place {
    return new Place(new Translation(...schema), '', 0)
  }

  /** Returns the place of a part of this schema. */
  below(step: string): Place {
    const path = this.#path === '' ? step : `${this.#path}${step.startsWith('[') ? '' : '.'}${step}`
    return new Place(this.#translation, path, this.depth + 1)
  }

  /** Counts one schema; throws ApiError 400 when there are too many. */
  step(): void {
    if (--this.#translation.stepsLeft < 0) throw this.error('it has too many parts, or says too much in few words')
  }

  /** Returns the rules of a text, which equal texts share; undefined if all texts together would need too many. */
  textForm(limits: TextLimits): TextForm | undefined {
    const translation = this.#translation
    const key = JSON.stringify(limits)
    if (translation.textForms.has(key)) return translation.textForms.get(key)
    const form = translation.textRulesLeft < 0 ? undefined : textForm(limits)
    translation.textRulesLeft -= form?.size ?? 0
    const found = form?.rules === undefined || translation.textRulesLeft >= 0 ? form : undefined
    translation.textForms.set(key, found)
    return found
  }

  /** Pauses if necessary. Awaited before each part. */
  pause(): Promise<void> {
    return this.#translation.pauses.take()
  }

  get isStrict(): boolean {
    return this.#translation.origin.isStrict
  }

  error(problem: string): Error {
    return invalidSchema(this.#translation.origin.path, this.#path, problem)
  }

  /** Reports an unsupported keyword: throws ApiError 400 if the caller is strict, otherwise it is left out. */
  unsupported(keyword: string, why = 'an answer cannot be held to it'): void {
    if (this.#translation.origin.isStrict) throw this.error(`keyword '${keyword}' is not supported (${why})`)
  }

  /** Returns the schema, or one for `true` and `false`. Throws ApiError 400 for anything else. */
  asSchema(value: JsonValue | undefined): JsonObject {
    if (value === true) return {}
    if (value === false) return { not: {} }
    if (isObject(value)) return value
    throw this.error('a schema must be an object or a boolean')
  }

  /**
   * Returns the schema that `$ref` names, as written. `pointer` is the same for every spelling of its place. Throws
   * ApiError 400 if there is no such schema.
   */
  resolve(reference: JsonValue): { readonly schema: JsonObject; readonly pointer: string } {
    const pointer = typeof reference === 'string' ? pointerOf(reference.slice(1)) : undefined
    const found = pointer === undefined ? undefined : valueAt(this.#translation.root, pointer)
    if (pointer === undefined || found === undefined) throw this.error("'$ref' leads to nothing")
    return { schema: this.asSchema(found), pointer }
  }

  /** Returns a translated `$ref` to a definition that will exist. */
  refer(reference: JsonValue): string {
    const { schema, pointer } = this.resolve(reference)
    const place = new Place(this.#translation, `#${pointer}`, 1)
    return this.#define(pointer, pointer.split('/').at(-1) ?? '', { schema, place })
  }

  /** Makes this part of the document a definition, so that it can contain itself. */
  define(written: JsonObject, schema: JsonObject): string {
    return this.#define(written, 'part', { schema, place: new Place(this.#translation, this.#path, 1) })
  }

  /** Returns the definitions so far. A loop over them while translating also visits those added meanwhile. */
  definitions(): Iterable<Definition> {
    return this.#translation.definitions.values()
  }

  #define(key: string | JsonObject, wanted: string, definition: Omit<Definition, 'name'>): string {
    const { definitions } = this.#translation
    const name = definitions.get(key)?.name ?? this.#newName(wanted)
    if (!definitions.has(key)) definitions.set(key, { name, ...definition })
    return `#/$defs/${name}`
  }

  /** Returns a new name that the converter does not confuse with another. */
  #newName(wanted: string): string {
    const { usedNames } = this.#translation
    const base = wanted.replace(/[^a-zA-Z0-9_-]/g, '-').slice(0, 64) || 'root'
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}-${count}`
      const seen = name.replace(/[^a-zA-Z0-9-]+/g, '-')
      if (usedNames.has(seen)) continue
      usedNames.add(seen)
      return name
    }
  }
}
