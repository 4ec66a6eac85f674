/** Cleans received schemas, so that each keyword has a value of the right type in the rest of the translation. */
import type { SchemaOrigin } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { pointerStep } from './json-pointer.ts'
import { keywordRows, type ValueKind } from './keyword-table.ts'
import { type OpenSchema, referenceResolver, type SchemaPlace } from './references.ts'

/**
 * Returns a copy in which each keyword has a value of its kind and each `$ref` is a pointer from the root to a schema.
 * Everything else is left out, which leaves that place to the model. Throws ApiError 400 for it instead if the caller
 * insists on the schema.
 */
export function soundSchema(written: JsonObject, { path: param, isStrict }: SchemaOrigin): JsonObject {
  const root: OpenSchema = structuredClone(written)
  const visited = new Set<OpenSchema>()
  const resolve = referenceResolver(root, isStrict)
  const open: SchemaPlace[] = [{ pointer: '', path: '', around: [], schema: root }]
  /** Targets of references. They come last: most have been visited in their own places by then. */
  const referred: SchemaPlace[] = []
  for (const place of open) visit(place)
  for (const place of referred) {
    open.splice(0, open.length, place)
    for (const inner of open) visit(inner)
  }
  return root

  function visit({ pointer, path, around, schema }: SchemaPlace): void {
    if (visited.has(schema)) return
    visited.add(schema)
    const place: SchemaPlace = { pointer, path, around, schema }
    const own: SchemaPlace = { ...place, around: [...around, place] }
    for (const [keyword, value] of Object.entries(schema)) {
      const row = keywordRows.get(keyword)
      if (row === undefined) continue
      if (!row.values.some((kind) => isOfKind(value, kind))) {
        const isNote = row.treatment === 'note' || keyword === 'format'
        if (!isNote) problem(path, `'${keyword}' must be ${row.values.map((kind) => kindWords[kind]).join(' or ')}`)
        delete schema[keyword]
      } else for (const kind of row.values) descend(kind, value, keyword, own)
    }
    if (typeof schema.$ref === 'string') refer(schema.$ref, own)
  }

  function descend(
    kind: ValueKind,
    value: JsonValue,
    keyword: string,
    { pointer, path, around, schema }: SchemaPlace,
  ): void {
    const enter = (holder: object, key: string | number, part: JsonValue, steps: string, shown: string) => {
      const at = {
        pointer: `${pointer}/${steps}`,
        path: path === '' || shown === '' ? path + shown : `${path}.${shown}`,
      }
      if (isObject(part)) open.push({ ...at, around, schema: part as OpenSchema })
      else if (typeof part !== 'boolean') {
        problem(at.path, 'a schema must be an object or a boolean')
        Object.defineProperty(holder, key, { value: {}, enumerable: true, configurable: true, writable: true })
      }
    }
    if (kind === 'schema' && !Array.isArray(value)) enter(schema, keyword, value, keyword, keyword)
    if (kind === 'schemas' && Array.isArray(value)) {
      const list: readonly JsonValue[] = value
      list.forEach((part, index) => void enter(value, index, part, `${keyword}/${index}`, `${keyword}[${index}]`))
    }
    if (kind === 'named schemas' && isObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        enter(value, name, part, `${keyword}/${pointerStep(name)}`, `${keyword}.${name}`)
      }
    }
  }

  function refer(reference: string, { path, around, schema }: SchemaPlace): void {
    const target = resolve(reference, around)
    if (target === undefined) {
      const shown = reference.slice(0, 100)
      const isOutside = !reference.startsWith('#')
      problem(path, isOutside ? `$ref '${shown}' leads out of the schema` : `$ref '${shown}' leads to nothing`)
      delete schema.$ref
      return
    }
    schema.$ref = `#${encodeURI(target.pointer)}`
    // The target may stand outside of all schemas, as in another kind of document.
    referred.push(target)
  }

  function problem(path: string, words: string): void {
    if (isStrict) throw invalidSchema(param, path, words)
  }
}

const kindWords: Readonly<Record<ValueKind, string>> = {
  schema: 'a schema',
  schemas: 'an array of schemas',
  'named schemas': 'an object of schemas',
  list: 'an array',
  number: 'a number',
  text: 'a text',
  flag: 'true or false',
  any: 'any value',
}

function isOfKind(value: JsonValue, kind: ValueKind): boolean {
  switch (kind) {
    case 'schema':
      return isObject(value) || typeof value === 'boolean'
    case 'schemas':
    case 'list':
      return Array.isArray(value)
    case 'named schemas':
      return isObject(value)
    case 'number':
      return typeof value === 'number'
    case 'text':
      return typeof value === 'string'
    case 'flag':
      return typeof value === 'boolean'
    case 'any':
      return true
  }
}
