/** Rewrites schemas into keywords that llama.cpp's converter knows, if it does not know the schema's own. */
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { type NumberRange, numberRange } from './number-range.ts'
import { NumberRules } from './number-rules.ts'
import { schemaLimits } from './schema-limits.ts'
import { withSharedCounts } from './shared-counts.ts'
import { type TextForm, textForm } from './text-form.ts'

/**
 * Numbers within bounds, and texts with patterns and formats, for one grammar. The converter cannot express them: it
 * receives constants in their place, and `complete` replaces the constants by rules.
 */
export class SchemaMarks {
  #textRules = 0
  /** Rules by form. Equal forms are one object. */
  readonly #texts = new Map<TextForm, { readonly name: string; readonly lines: readonly string[] }>()
  readonly #rules = new NumberRules('inferd-number-')
  readonly #marks = new Map<string, number>()
  /** Random number of 15 digits, which a schema contains only by chance. */
  readonly #first = 1e14 + Math.floor(Math.random() * 8e14)

  /** Returns the constant that stands for these numbers. Throws Error if there are too many. */
  mark(range: NumberRange): number {
    const rule = this.#rules.add(range)
    const mark = this.#marks.get(rule) ?? this.#first + this.#marks.size
    this.#marks.set(rule, mark)
    return mark
  }

  /** Returns the constant that stands for these texts. Throws Error if there are too many. */
  markText(form: TextForm, rules: (name: string) => string[]): string {
    const known = this.#texts.get(form)
    if (known !== undefined) return known.name
    const name = `inferd-text-${this.#first + this.#texts.size}`
    const lines = rules(name)
    this.#textRules += form.size
    if (this.#textRules > schemaLimits.textRules) throw new Error('its patterns and formats are too complex together')
    this.#texts.set(form, { name, lines })
    return name
  }

  /** Returns the grammar with the constants replaced by rules. Large counts share their rules. */
  complete(grammar: string): string {
    const numbers = new Map([...this.#marks].map(([rule, mark]) => [`"${mark}"`, rule]))
    const withNumbers = grammar.replace(/"\d{15}"/g, (text) => numbers.get(text) ?? text)
    const texts = new Map([...this.#texts.values()].map((text) => [text.name, text.lines]))
    const used = new Set<string>()
    const withTexts = withNumbers.replace(/"\\"(inferd-text-\d{15})\\""/g, (literal, name: string) => {
      if (!texts.has(name)) return literal
      used.add(name)
      return name
    })
    const lines = [withTexts.trimEnd(), ...[...used].flatMap((name) => texts.get(name) ?? [])]
    if (withNumbers !== grammar) lines.push(this.#rules.text())
    return withSharedCounts(lines.length === 1 ? withTexts : lines.join('\n'))
  }
}

/** Returns the same schema with marks for limited numbers, and for texts with patterns and formats. */
export function heldSchema(schema: JsonObject, marks: SchemaMarks): JsonObject {
  const node = withHeldParts(schema, marks)
  const { type } = node
  if (node.anyOf !== undefined || node.const !== undefined || node.enum !== undefined) return node
  if (!Array.isArray(type)) return heldValue(node, marks)
  const choices = type.map((each) => ({ ...node, type: each }))
  const held = choices.map((choice) => heldValue(choice, marks))
  return held.every((choice, index) => choice === choices[index]) ? node : { ...node, anyOf: held }
}

/** Translates a schema of one type. */
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
  const { format, minLength, maxLength, pattern, ...rest } = node
  if (pattern === undefined && format === undefined) return node
  const lengths = { least: Number(minLength ?? 0), most: maxLength === undefined ? undefined : Number(maxLength) }
  const form = textForm({ pattern: textOf(pattern), format: textOf(format), lengths })
  return form.rules === undefined ? node : { ...rest, const: marks.markText(form, form.rules) }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** Returns a number's schema. The converter enforces the bounds of integers itself. */
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
