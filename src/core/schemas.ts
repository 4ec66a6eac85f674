/** Schemas of single values. Descriptions complete "<field> must be …". */
import { Type } from '@sinclair/typebox'

/** Returns a schema of text that is one of some names. The description lists them in `quote` marks. */
export function oneOf<const Name extends string>(names: readonly Name[], quote = '') {
  return Type.Union(
    names.map((name) => Type.Literal(name)),
    { description: `one of ${names.map((name) => quote + name + quote).join(', ')}` },
  )
}

export function wholeNumber(minimum: number, maximum: number, what = 'a whole number') {
  return Type.Integer({ description: `${what} from ${minimum} to ${maximum}`, minimum, maximum })
}
