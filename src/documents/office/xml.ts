/** XML of Office files as tokens. Entities of the file's own are not read, so nothing grows. */

export type XmlToken =
  | { readonly type: 'open'; readonly name: string; readonly attributes: string; readonly isEmpty: boolean }
  | { readonly type: 'close'; readonly name: string }
  | { readonly type: 'text'; readonly text: string }

const tag = /<(\/?)(?:\w+:)?([\w.-]+)([^<>]*?)(\/?)>/y

/** Yields tags without their prefixes, and texts. Skips comments, declarations and whatever is no XML. */
export function* readXml(xml: string): Generator<XmlToken> {
  let at = 0
  while (at < xml.length) {
    const next = xml.indexOf('<', at)
    const end = next === -1 ? xml.length : next
    if (end > at) yield { type: 'text', text: unescaped(xml.slice(at, end)) }
    if (next === -1) return
    tag.lastIndex = next
    const [whole, slash, name = '', attributes = '', empty] = tag.exec(xml) ?? []
    if (whole === undefined) {
      const skipped = xml.indexOf('>', next)
      at = skipped === -1 ? xml.length : skipped + 1
      continue
    }
    at = next + whole.length
    if (slash === '/') yield { type: 'close', name }
    else yield { type: 'open', name, attributes, isEmpty: empty === '/' }
  }
}

/** Returns an attribute by its name without prefix, '' if there is none. */
export function attribute(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(`(?:^|[\\s:])${name}="([^"]*)"`).exec(attributes) ?? []
  return unescaped(value)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : ''
  })
}
