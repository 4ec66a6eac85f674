/**
 * Large counts in grammars. llama.cpp writes `x{0,4000}` as 4,000 rules and refuses more than 2,000: here a count is
 * written as blocks of 64, of 64 times 64 and so on, whose rules all counts of the same thing share.
 */

/** Things in one block. */
const block = 64

/**
 * Largest counts that are not split. A larger count of more than one character is read in two ways at once: the
 * alternatives multiply within lists.
 */
const largestPlainCount = { character: block, other: 1_000 }

/**
 * Maximum rules for counts in one grammar, which take some milliseconds. Beyond them, further counts may be lower than
 * the schema allows.
 */
const maxRules = 20_000

/** Returns the same grammar with few rules for large counts. */
export function withSharedCounts(grammar: string): string {
  if (!/\{\d*\d{2}[,}]|\{\d*,\d{2}/.test(grammar)) return grammar
  const counts = new CountRules()
  const lines = grammar.split('\n').map((line) => {
    const [, head = '', body = ''] = /^([a-zA-Z0-9-]+ ::= )(.*)$/s.exec(line) ?? []
    return head === '' ? line : head + withReferences(body, counts)
  })
  return [...lines, ...counts.lines()].join('\n')
}

/** Literals, sets, rule names, counts, and all else character by character. */
const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-zA-Z][a-zA-Z0-9-]*|\{\d+(?:,\d*)?\}|[\s\S]/g

function withReferences(body: string, counts: CountRules): string {
  let written = ''
  /** Start of the last item that can be counted, and of the open groups. */
  let start = 0
  const open: number[] = []
  for (const [text] of body.matchAll(token)) {
    const count = /^\{(\d+)(,?)(\d*)\}$/.exec(text)
    if (count === null) {
      if (text === '(') open.push(written.length)
      if (text === ')') start = open.pop() ?? written.length
      else if (/^["[a-zA-Z]/.test(text)) start = written.length
      written += text
      continue
    }
    const [, least = '', comma = '', most = ''] = count
    const limits = { least: Number(least), most: comma === '' ? Number(least) : most === '' ? undefined : Number(most) }
    const thing = written.slice(start)
    const isCharacter = !thing.startsWith('(')
    const plain = isCharacter ? largestPlainCount.character : largestPlainCount.other
    if (Math.max(limits.least, limits.most ?? 0) <= plain) written += text
    else written = written.slice(0, start) + counts.counted(thing, limits)
  }
  return written
}

class CountRules {
  readonly #things = new Map<string, string>()
  readonly #rules = new Map<string, string>()
  /** Counts that have rules, by the item's name. */
  readonly #counts = new Map<string, number[]>()

  lines(): string[] {
    return [...this.#rules].map(([name, body]) => `${name} ::= ${body}`)
  }

  /** Returns a rule that repeats the item within the limits. */
  counted(thing: string, limits: { readonly least: number; readonly most: number | undefined }): string {
    const { least, most } = limits
    const name = this.#nameOf(thing)
    const more = most === undefined ? `${name}*` : this.#atMost(name, most - least)
    return `( ${[...this.#exactly(name, least), ...(more === '' ? [] : [more])].join(' ') || '""'} )`
  }

  #nameOf(thing: string): string {
    const known = this.#things.get(thing)
    if (known !== undefined) return known
    const name = `inferd-count-${this.#things.size}`
    this.#things.set(thing, name)
    this.#rules.set(name, thing)
    return name
  }

  #exactly(name: string, count: number): string[] {
    const parts: string[] = []
    let left = count
    for (let level = levelOf(count); level >= 0; level--) {
      const times = Math.floor(left / block ** level)
      if (times > 0) parts.push(`${this.#block(name, level)}{${times}}`)
      left -= times * block ** level
    }
    return parts
  }

  /** Returns a rule of exactly 64 to the power of `level` repetitions. */
  #block(name: string, level: number): string {
    if (level === 0) return name
    const own = `${name}-b${level}`
    if (!this.#rules.has(own)) this.#rules.set(own, `${this.#block(name, level - 1)}{${block}}`)
    return own
  }

  #atMost(name: string, most: number): string {
    if (most <= 0 || this.#rules.size < maxRules) return this.#upTo(name, most)
    let fewer = 0
    for (const count of this.#counts.get(name) ?? []) if (count <= most && count > fewer) fewer = count
    return fewer === 0 ? `${name}{0,${Math.min(most, block)}}` : this.#upTo(name, fewer)
  }

  /**
   * Returns a rule of at most that many repetitions: whole blocks before single ones, so that each number has one
   * parse.
   */
  #upTo(name: string, most: number): string {
    if (most <= 0) return ''
    const own = `${name}-u${most}`
    if (this.#rules.has(own)) return own
    const counts = this.#counts.get(name) ?? []
    this.#counts.set(name, counts)
    counts.push(most)
    const level = levelOf(most)
    const size = block ** level
    const rest = this.#upTo(name, most - size)
    const fewer = level === 0 ? '""' : this.#upTo(name, size - 1)
    this.#rules.set(own, `${`${this.#block(name, level)} ${rest}`.trim()} | ${fewer}`)
    return own
  }
}

/** Returns the exponent of the largest power of 64 that is not above the count. */
function levelOf(count: number): number {
  let level = 0
  while (count >= block ** (level + 1)) level++
  return level
}
