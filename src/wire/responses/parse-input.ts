import { Type } from '@sinclair/typebox'
import { ApiError } from '../../core/errors.ts'
import { check, invalidValue, missing, presentFields } from '../check.ts'
import type { FindItem } from '../dialect.ts'
import { limits } from '../limits.ts'
import { type Item, isFromUser, itemType } from './read-item.ts'

export interface InputItem {
  readonly type: string
  readonly item: Item
  /** Dotted place in the body. */
  readonly path: string
}

const maxItems = limits.parts.most

/**
 * Returns the items of `instructions` and `input` in order. A text becomes one message, and a reference the item that
 * it names. Throws ApiError 400 for a body without either, items without a type, and references to unknown items.
 */
export function parseInput(
  { instructions, input }: Readonly<Record<string, unknown>>,
  findItem: FindItem,
): InputItem[] {
  const resolve = referenceReader(findItem)
  const items = [
    ...toItems(instructions, 'instructions', 'system', resolve),
    ...toItems(input, 'input', 'user', resolve),
  ]
  if (items.length === 0) throw missing('input', 'a string or an array of items')
  if (countParts(items) > maxItems) throw tooMany
  return items
}

const tooMany = invalidValue('input', `an array with at most ${maxItems} items and content parts in all`)

function toItems(value: unknown, path: string, role: 'system' | 'user', resolve: Resolve): InputItem[] {
  if (value === undefined) return []
  // Empty instructions count as none, but a user's message may be empty.
  if (typeof value === 'string') {
    if (value === '' && role === 'system') return []
    return [{ type: 'message', item: { role, content: value }, path }]
  }
  if (!Array.isArray(value)) throw invalidValue(path, 'a string or an array of items')
  // Refused before any item is read.
  if (value.length > maxItems) throw tooMany
  return value.map((entry, index) => {
    const place = `${path}[${index}]`
    const item = resolve(presentFields(entry, place), place)
    return { type: itemType(item, place), item, path: place }
  })
}

function countParts(items: readonly InputItem[]): number {
  let count = items.length
  for (const { item } of items) {
    for (const field of [item.content, item.output]) if (Array.isArray(field)) count += field.length
  }
  return count
}

/** Returns the index of the last item that is a message of the user, -1 if there is none. */
export function lastUserIndex(items: readonly InputItem[]): number {
  return items.findLastIndex(({ item, type }) => isFromUser(item, type))
}

type Resolve = (item: Item, path: string) => Item

const Reference = Type.Object({ id: Type.String({ description: 'the id of an item' }) })

/**
 * Returns the function that replaces references by the items that they name. Throws ApiError 400 for an unknown item,
 * and for a second reference to the same one: repetition must not turn a short request into a long prompt.
 */
function referenceReader(findItem: FindItem): Resolve {
  const used = new Set<string>()
  return (item, path) => {
    const { type, role, id: given } = item
    // References may omit the type.
    const isReference = type === 'item_reference' || (type === undefined && role === undefined && given !== undefined)
    if (!isReference) return item
    const { id } = check(Reference, item, path)
    if (used.has(id)) throw invalidValue(path, 'the only reference to its item')
    used.add(id)
    const found = findItem(id)
    if (found === undefined) throw unknownItem(id, path)
    return presentFields(found, path)
  }
}

const maxIdLength = 100

function unknownItem(id: string, path: string): ApiError {
  const name = id.length > maxIdLength ? `${id.slice(0, maxIdLength)}…` : id
  const message = `'${path}' refers to the item '${name.toWellFormed()}', which is not known here: items of answers are kept for a while, in memory, unless the server's settings say otherwise. Send the whole item: clients do with store: false.`
  return new ApiError('invalid_request', message, { code: 'invalid_value', param: path })
}
