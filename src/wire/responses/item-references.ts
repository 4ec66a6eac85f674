import { Type } from '@sinclair/typebox'
import { ApiError } from '../../core/errors.ts'
import { check, invalidValue, presentFields } from '../check.ts'
import type { FindItem } from '../dialect.ts'
import type { Item } from './read-item.ts'

const Reference = Type.Object({ id: Type.String({ description: 'the id of an item' }) })

/** Puts the items that one request refers to in the place of the references. */
export class ItemReferences {
  readonly #findItem: FindItem
  readonly #used = new Set<string>()

  constructor(findItem: FindItem) {
    this.#findItem = findItem
  }

  /**
   * The item itself, or the one that it refers to. Throws ApiError 400 for a reference to an item that is not known, and
   * for a second reference to the same: a short request must not become a long prompt by repetition.
   */
  resolve(item: Item, path: string): Item {
    if (!isReference(item)) return item
    const { id } = check(Reference, item, path)
    if (this.#used.has(id)) throw invalidValue(path, 'the only reference to its item')
    this.#used.add(id)
    const found = this.#findItem(id)
    if (found === undefined) throw unknownItem(id, path)
    return presentFields(found, path)
  }
}

/** The type may be left out. */
function isReference({ type, role, id }: Item): boolean {
  return type === 'item_reference' || (type === undefined && role === undefined && id !== undefined)
}

const maxIdLength = 100

function unknownItem(id: string, path: string): ApiError {
  const name = id.length > maxIdLength ? `${id.slice(0, maxIdLength)}…` : id
  const message = `'${path}' refers to the item '${name.toWellFormed()}', which is not known here: items of answers are kept for a while, in memory, unless the server's settings say otherwise. Send the whole item: clients do with store: false.`
  return new ApiError('invalid_request', message, { code: 'invalid_value', param: path })
}
