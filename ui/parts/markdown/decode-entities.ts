/** Names of entities that models write. Others stay unchanged. */
const named: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™' },
  ...{ hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»' },
  ...{ bull: '•', middot: '·', deg: '°', plusmn: '±', times: '×', divide: '÷', minus: '−', ne: '≠', le: '≤', ge: '≥' },
  ...{
    larr: '←',
    uarr: '↑',
    rarr: '→',
    darr: '↓',
    infin: '∞',
    micro: 'µ',
    para: '¶',
    sect: '§',
    euro: '€',
    pound: '£',
  },
  ...{
    yen: '¥',
    cent: '¢',
    frac12: '½',
    frac14: '¼',
    frac34: '¾',
    sup2: '²',
    sup3: '³',
    alpha: 'α',
    beta: 'β',
    pi: 'π',
  },
}

/** Returns the text with HTML character references decoded, which the lexer keeps as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return named[name] ?? whole
      return characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
    },
  )
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
