import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { pointerOf, pointerStep, valueAt } from './json-pointer.ts'

/** Schema during its translation, still mutable. */
export type OpenSchema = Record<string, JsonValue>

/** Place of a schema in its document. */
export interface SchemaPlace {
  /** JSON pointer from the root. */
  readonly pointer: string
  /** Path for errors, e.g. `properties.a.items`. */
  readonly path: string
  /** Schemas from the root to this one. */
  readonly around: readonly SchemaPlace[]
  readonly schema: OpenSchema
}

/** Base of identifiers that are not complete URLs. */
const noUrl = 'https://schema.invalid/'

/**
 * Returns the target of a `$ref` in the last of these places; undefined if it is outside of the document, or does not
 * exist.
 */
type ResolveReference = (reference: string, around: readonly SchemaPlace[]) => SchemaPlace | undefined

interface Known {
  readonly pointer: string
  readonly schema: JsonObject
}

/**
 * Resolves references as JSON Schema defines them. Some tools embed schemas in others without changing their pointers:
 * targets that the root does not have are looked for in the schemas around. Unless strict, definitions are also found
 * where a converter has moved them without changing the references.
 */
export function referenceResolver(root: JsonObject, isStrict: boolean): ResolveReference {
  let resources: ReadonlyMap<string, Known> | undefined
  return (reference, around) => {
    const base = around.findLast(({ schema }) => typeof schema.$id === 'string' && !schema.$id.startsWith('#'))
    if (reference.startsWith('#') && (reference === '#' || reference.startsWith('#/'))) {
      const starts = [...(base === undefined ? [] : [base]), { pointer: '', schema: root }, ...around.toReversed()]
      const spellings = isStrict ? [reference] : spellingsOf(reference)
      for (const spelling of spellings) {
        const found = firstFound(starts, spelling.slice(1))
        if (found !== undefined) return found
      }
      return undefined
    }
    resources ??= resourcesOf(root)
    const url = urlOf(reference, baseOf(around))
    if (url === undefined) return undefined
    const named = resources.get(url) ?? (reference.startsWith('#') ? anchorAnywhere(resources, reference) : undefined)
    if (named !== undefined) return placeOf(named)
    const [document = '', fragment = ''] = url.split('#')
    const resource = resources.get(document)
    return resource && (fragment === '' || fragment.startsWith('/')) ? firstFound([resource], fragment) : undefined
  }
}

const homes = ['$defs', 'definitions', 'components/schemas']

function spellingsOf(reference: string): string[] {
  const home = homes.find((each) => reference.startsWith(`#/${each}/`))
  if (home === undefined) return [reference]
  const name = reference.slice(home.length + 3)
  return [reference, ...homes.filter((each) => each !== home).map((each) => `#/${each}/${name}`)]
}

function firstFound(starts: readonly Known[], fragment: string): SchemaPlace | undefined {
  const pointer = pointerOf(fragment)
  if (pointer === undefined) return undefined
  for (const start of starts) {
    const schema = valueAt(start.schema, pointer)
    const isSchema = isObject(schema) || typeof schema === 'boolean'
    if (isSchema) return placeOf({ pointer: start.pointer + pointer, schema: isObject(schema) ? schema : {} })
  }
  return undefined
}

function placeOf({ pointer, schema }: Known): SchemaPlace {
  return { pointer, path: `#${pointer}`, around: [], schema: schema as OpenSchema }
}

/**
 * Returns the schemas by `$id`, and by `$id` and anchor. The document itself is also known by the base for incomplete
 * URLs.
 */
function resourcesOf(root: JsonObject): ReadonlyMap<string, Known> {
  const found = new Map<string, Known>([[noUrl, { pointer: '', schema: root }]])
  const visit = (value: JsonValue, pointer: string, base: string): void => {
    if (Array.isArray(value)) {
      value.forEach((part: JsonValue, index) => void visit(part, `${pointer}/${index}`, base))
      return
    }
    if (!isObject(value)) return
    const id = idOf(value)
    const own = id === undefined || id.startsWith('#') ? base : (urlOf(id, base) ?? base)
    const document = own.split('#')[0] ?? own
    const names = own === base ? [] : [document]
    const anchors = [value.$anchor, value.$dynamicAnchor, id?.startsWith('#') ? id.slice(1) : undefined]
    for (const anchor of anchors) if (typeof anchor === 'string') names.push(`${document}#${anchor}`)
    for (const name of names) if (!found.has(name)) found.set(name, { pointer, schema: value })
    for (const [name, part] of Object.entries(value)) visit(part, `${pointer}/${pointerStep(name)}`, document)
  }
  visit(root, '', noUrl)
  return found
}

function idOf({ $id, id }: JsonObject): string | undefined {
  if (typeof $id === 'string') return $id
  return typeof id === 'string' ? id : undefined
}

function anchorAnywhere(resources: ReadonlyMap<string, Known>, anchor: string): Known | undefined {
  for (const [name, known] of resources) if (name.endsWith(anchor)) return known
  return undefined
}

function baseOf(around: readonly SchemaPlace[]): string {
  let base = noUrl
  for (const { schema } of around) {
    const id = idOf(schema)
    if (id !== undefined && !id.startsWith('#')) base = urlOf(id, base)?.split('#')[0] ?? base
  }
  return base
}

function urlOf(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base)?.href
  return url?.endsWith('#') ? url.slice(0, -1) : url
}
