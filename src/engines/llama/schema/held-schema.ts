/** Schemas in the words that llama.cpp's converter knows, where it does not know what the schema says itself. */
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { type NumberRange, numberRange } from './number-range.ts'
import { NumberRules } from './number-rules.ts'
import { heldPattern } from './string-formats.ts'

/** A format is written out wherever it stands, as up to 1 kB of grammar, and nothing ends the reading of a grammar. */
const maxFormats = 128

/**
 * Numbers within bounds and formats, for one grammar. The converter has no word for such numbers: it is given constants,
 * and `complete` puts rules in the place of the constants.
 */
export class SchemaMarks {
  #formats = 0
  readonly #rules = new NumberRules('inferd-number-')
  readonly #marks = new Map<string, number>()
  /** Of 15 digits, and by chance none that a schema has. */
  readonly #first = 1e14 + Math.floor(Math.random() * 8e14)

  /** The constant that stands for these numbers. Throws Error where there are too many. */
  mark(range: NumberRange): number {
    const rule = this.#rules.add(range)
    const mark = this.#marks.get(rule) ?? this.#first + this.#marks.size
    this.#marks.set(rule, mark)
    return mark
  }

  /** Throws Error where the grammar has too many formats. */
  addFormat(): void {
    if (++this.#formats > maxFormats) throw new Error(`it has more than ${maxFormats} formats`)
  }

  /** The grammar with the numbers themselves. */
  complete(grammar: string): string {
    const rules = new Map([...this.#marks].map(([rule, mark]) => [`"${mark}"`, rule]))
    const replaced = grammar.replace(/"\d{15}"/g, (text) => rules.get(text) ?? text)
    return replaced === grammar ? grammar : `${replaced.trimEnd()}\n${this.#rules.text()}`
  }
}

/** The same schema with dates and other formats as patterns, and with numbers that are limited as marks. */
export function heldSchema(schema: JsonObject, marks: SchemaMarks): JsonObject {
  const node = withHeldParts(schema, marks)
  const { type } = node
  if (node.anyOf !== undefined || node.const !== undefined || node.enum !== undefined) return node
  if (!Array.isArray(type)) return heldValue(node, marks)
  const choices = type.map((each) => ({ ...node, type: each }))
  const held = choices.map((choice) => heldValue(choice, marks))
  return held.every((choice, index) => choice === choices[index]) ? node : { ...node, anyOf: held }
}

/** Of one type. */
function heldValue(node: JsonObject, marks: SchemaMarks): JsonObject {
  switch (node.type) {
    case 'string':
      return heldText(node, marks)
    case 'number':
    case 'integer':
      return heldNumber(node, marks)
    default:
      return node
  }
}

function heldText(node: JsonObject, marks: SchemaMarks): JsonObject {
  const { format, minLength, maxLength, ...rest } = node
  if (node.pattern !== undefined) return node
  const lengths = { least: Number(minLength ?? 0), most: maxLength === undefined ? undefined : Number(maxLength) }
  const pattern = heldPattern(format, lengths)
  if (pattern === undefined) return node
  marks.addFormat()
  return { ...rest, pattern }
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** The converter holds the bounds of integers itself. */
function heldNumber(node: JsonObject, marks: SchemaMarks): JsonObject {
  const isInteger = node.type === 'integer'
  const isLimited = isInteger ? (node.multipleOf ?? 1) !== 1 : [...bounds, 'multipleOf'].some((name) => name in node)
  if (!isLimited) return node
  const range = numberRange(node, isInteger)
  return 'problem' in range ? node : { ...node, const: marks.mark(range) }
}

function withHeldParts(schema: JsonObject, marks: SchemaMarks): JsonObject {
  const held = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(held)
    return isObject(value) ? heldSchema(value, marks) : value
  }
  return mapMembers(schema, (value, keyword) => {
    if (holders.has(keyword)) return held(value)
    return namedHolders.has(keyword) && isObject(value) ? mapMembers(value, held) : value
  })
}

/** Keywords whose values are schemas, lists of them, or schemas by name. */
const holders = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'])
const namedHolders = new Set(['properties', '$defs'])

function mapMembers(object: JsonObject, map: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}
