/**
 * A GBNF parser for the grammars of schemas: tests whether a text matches, and makes texts that do. No rule may be
 * left-recursive.
 */

type Item =
  | { readonly kind: 'set'; readonly pattern: RegExp; readonly sample: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'choice'; readonly options: readonly (readonly Item[])[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly least: number; readonly most: number }

export class GrammarReader {
  readonly #rules = new Map<string, Item>()

  constructor(grammar: string) {
    for (const line of grammar.split('\n')) {
      const [, name = '', body = ''] = /^(\S+) ::= (.*)$/s.exec(line) ?? []
      if (name !== '') this.#rules.set(name, parse(body))
    }
  }

  fits(text: string, root = 'root'): boolean {
    const characters = [...text]
    const known = new Map<string, ReadonlySet<number>>()
    const ends = (item: Item, at: number): ReadonlySet<number> => {
      switch (item.kind) {
        case 'set':
          return new Set(item.pattern.test(characters[at] ?? '') ? [at + 1] : [])
        case 'text': {
          const wanted = [...item.text]
          return new Set(wanted.every((each, index) => characters[at + index] === each) ? [at + wanted.length] : [])
        }
        case 'rule': {
          const key = `${item.name} ${at}`
          const found = known.get(key) ?? ends(this.#rule(item.name), at)
          known.set(key, found)
          return found
        }
        case 'choice':
          return new Set(item.options.flatMap((option) => [...this.#after(option, at, ends)]))
        case 'repeat': {
          let open: ReadonlySet<number> = new Set([at])
          const all = new Set<number>(item.least === 0 ? [at] : [])
          for (let count = 1; count <= item.most && open.size > 0; count++) {
            open = new Set([...open].flatMap((from) => [...ends(item.item, from)]).filter((end) => !all.has(end)))
            if (count >= item.least) for (const end of open) all.add(end)
          }
          return all
        }
      }
    }
    return ends({ kind: 'rule', name: root }, 0).has(characters.length)
  }

  /** Returns a text that matches the grammar. `random` returns numbers from 0 to 1 that choose between alternatives. */
  sample(random: () => number, root = 'root'): string {
    let text = ''
    const write = (item: Item): void => {
      switch (item.kind) {
        case 'set': {
          text += item.sample[Math.floor(random() * item.sample.length)] ?? ''
          return
        }
        case 'text':
          text += item.text
          return
        case 'rule':
          write(this.#rule(item.name))
          return
        case 'choice':
          item.options[Math.floor(random() * item.options.length)]?.forEach(write)
          return
        case 'repeat': {
          const most = Math.min(item.most, item.least + 20)
          const count = item.least + Math.floor(random() * (most - item.least + 1))
          for (let index = 0; index < count; index++) write(item.item)
        }
      }
    }
    write(this.#rule(root))
    return text
  }

  #rule(name: string): Item {
    const rule = this.#rules.get(name)
    if (rule === undefined) throw new Error(`no rule ${name}`)
    return rule
  }

  #after(items: readonly Item[], at: number, ends: (item: Item, at: number) => ReadonlySet<number>): Set<number> {
    let places = new Set([at])
    for (const item of items) places = new Set([...places].flatMap((place) => [...ends(item, place)]))
    return places
  }
}

const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-zA-Z][a-zA-Z0-9-]*|\{\d+(?:,\d*)?\}|[()|*+?]/g

function parse(body: string): Item {
  const stack: Item[][][] = [[[]]]
  for (const [text] of body.matchAll(token)) {
    const options = stack.at(-1) ?? []
    const items = options.at(-1) ?? []
    const limits = limitsOf(text)
    if (limits !== undefined) items.push({ kind: 'repeat', item: items.pop() ?? { kind: 'text', text: '' }, ...limits })
    else if (text === '(') stack.push([[]])
    else if (text === ')')
      stack
        .at(-2)
        ?.at(-1)
        ?.push({ kind: 'choice', options: stack.pop() ?? [] })
    else if (text === '|') options.push([])
    else items.push(single(text))
  }
  return { kind: 'choice', options: stack[0] ?? [] }
}

function limitsOf(text: string): { readonly least: number; readonly most: number } | undefined {
  const endless = Number.POSITIVE_INFINITY
  if (text === '*') return { least: 0, most: endless }
  if (text === '+') return { least: 1, most: endless }
  if (text === '?') return { least: 0, most: 1 }
  const [, least, comma = '', most = ''] = /^\{(\d+)(,?)(\d*)\}$/.exec(text) ?? []
  if (least === undefined) return undefined
  return { least: Number(least), most: comma === '' ? Number(least) : most === '' ? endless : Number(most) }
}

function single(text: string): Item {
  if (text.startsWith('"')) return { kind: 'text', text: unescaped(text.slice(1, -1)) }
  if (!text.startsWith('[')) return { kind: 'rule', name: text }
  const source = text.replace(/\\U([0-9A-F]{8})/g, (_, hex: string) => `\\u{${hex.replace(/^0+/, '')}}`)
  const pattern = new RegExp(`^${source}$`, 'u')
  const sample = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).filter((char) =>
    pattern.test(char),
  )
  return { kind: 'set', pattern, sample: sample.join('') }
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
  return text.replace(/\\(?:x(..)|(.))/g, (_, hex?: string, char = '') => {
    return hex === undefined ? (letters[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16))
  })
}
