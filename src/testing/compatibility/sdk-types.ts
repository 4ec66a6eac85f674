/** Types that the installed client libraries declare, read from the text of their declarations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dir, '../../../node_modules')

/** One file of type declarations, e.g. `openai/resources/responses/responses.d.ts`. */
export class SdkTypes {
  readonly #text: string
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    // Comments are removed, since they contain examples.
    this.#text = readFileSync(join(packages, path), 'utf8').replace(/\/\*.*?\*\//gs, '')
  }

  /** Returns the names of an interface's own fields. Throws if there is no such interface. */
  fieldsOf(name: string): string[] {
    return [...this.#interface(name).matchAll(/^ +'?(\w+)'?\??:/gm)].map(([, field = '']) => field)
  }

  /**
   * Returns the literals of field `type` in all members of a union of interfaces, including unions that it names. A
   * member whose type is optional counts as `fallback`.
   */
  typesOf(name: string, fallback = ''): string[] {
    const union = this.#find(new RegExp(`^export (?:declare )?type ${name} = (.*?);$`, 'ms'), name)
    const types = union.split('|').flatMap((member) => this.#memberTypes(member.trim(), fallback))
    return [...new Set(types)]
  }

  #memberTypes(member: string, fallback: string): string[] {
    if (new RegExp(`^export (?:declare )?type ${member} =`, 'm').test(this.#text)) return this.typesOf(member, fallback)
    const field = /^ +type(\??): ([^;]+);/m.exec(this.#interface(member))
    if (field === null) return [fallback]
    const literals = [...(field[2] ?? '').matchAll(/'([^']+)'/g)].map(([, literal = '']) => literal)
    if (literals.length === 0) throw new Error(`${member} in ${this.#path}: what its type may be is not written there`)
    return field[1] === '?' ? [...literals, fallback] : literals
  }

  /** Returns the text between an interface's braces. `A.B` is interface B in namespace A. */
  #interface(name: string): string {
    const [first = '', second] = name.split('.')
    if (second === undefined) return this.#find(interfaceOf(first, ''), name)
    const space = this.#find(new RegExp(`^export (?:declare )?namespace ${first} \\{\\n(.*?)^\\}`, 'ms'), name)
    const found = interfaceOf(second, '    ').exec(space)?.[1]
    if (found === undefined) throw new Error(`there is no ${name} in ${this.#path}`)
    return found
  }

  #find(pattern: RegExp, name: string): string {
    const found = pattern.exec(this.#text)?.[1]
    if (found === undefined) throw new Error(`there is no ${name} in ${this.#path}`)
    return found
  }
}

/** Returns a pattern of the interface. Fields of nested objects are indented further and do not match. */
function interfaceOf(name: string, indent: string): RegExp {
  return new RegExp(
    `^${indent}(?:export )?interface ${name}(?:<[^{]*>)?(?: extends [^{]*)? \\{\\n(.*?)^${indent}\\}`,
    'ms',
  )
}
