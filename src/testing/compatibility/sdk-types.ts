/** What the installed client libraries know, read from the text of their type declarations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dir, '../../../node_modules')

/** One file of type declarations, e.g. `openai/resources/responses/responses.d.ts`. */
export class SdkTypes {
  readonly #text: string
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    // Comments hold examples.
    this.#text = readFileSync(join(packages, path), 'utf8').replace(/\/\*.*?\*\//gs, '')
  }

  /** Names of an interface's own fields. Throws when there is no such interface. */
  fieldsOf(name: string): string[] {
    return [...this.#interface(name).matchAll(/^ +'?(\w+)'?\??:/gm)].map(([, field = '']) => field)
  }

  /**
   * The values that the field `type` has in a union of interfaces: each member's literals. A union that names another
   * one holds that one's too. Members whose type may be left out count as `fallback`.
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

  /** The text between an interface's braces; `A.B` is the interface B in the namespace A. */
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

/** Fields of objects inside the interface are indented further and do not count. */
function interfaceOf(name: string, indent: string): RegExp {
  return new RegExp(
    `^${indent}(?:export )?interface ${name}(?:<[^{]*>)?(?: extends [^{]*)? \\{\\n(.*?)^${indent}\\}`,
    'ms',
  )
}
