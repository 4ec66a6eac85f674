/** Markdown for listeners: marks are dropped; list items and headings become sentences. */

/** Begin or end of code, which is read unchanged. */
const fence = /^ ?(?:```|~~~)/
/** Lines without content: rules, underlines of headings, the line below a table's head, targets of links. */
const silentLine = /^ ?(?:[-*_=] ?){3,}$|^ ?(?:\| ?)?:?-+:? ?(?:\| ?:?-*:? ?)+$|^ ?\[[^\]]{1,200}\]:\s/
/** Headings and table rows, which the next line never continues. */
const closedLine = /^ ?(?:#{1,6} |\|)/

type Replacements = readonly (readonly [RegExp, string])[]

/** Marks at the beginning of a line, each of which begins a paragraph. */
const lineMarks: Replacements = [
  [/^ ?(?:> ?)+/, ''],
  [/^ ?#{1,6} (.*?)(?: #+)?$/, '$1'],
  [/^ ?[-*+•‣◦] (?:\[[ xX]\] )?/, ''],
  [/^ ?(\d{1,3})[.)] /, '$1, '],
  [/^ ?\| ?(.*?) ?\|? ?$/, '$1'],
]

/** Marks at any position. Lengths are bounded, so that no text takes long to match. */
const marks: Replacements = [
  [/`+/g, ''],
  [/!?\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?: "[^"]{0,500}")?\)/g, '$1'],
  [/\[\^[^\]]{1,50}\]/g, ''],
  [/!?\[([^[\]]{1,500})\]\[[^[\]]{0,200}\]/g, '$1'],
  [/<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/g, '$1'],
  [/<!--.{0,2000}?-->|<\/?[a-zA-Z][^<>]{0,300}>/g, ' '],
  [/(?<!\\)(?:\*\*|__|~~)(?=\S)|(?<=[^\s\\])(?:\*\*|__|~~)/g, ''],
  [/(?<![\p{L}\p{N}\\*])\*(?=\S)|(?<=[^\s\\])\*(?![\p{L}\p{N}*])/gu, ''],
  [/(?<![\p{L}\p{N}\\_])_(?=\S)|(?<=[^\s\\])_(?![\p{L}\p{N}_])/gu, ''],
  [/\\([\\*_{}[\]()#+.!|~>-])/g, '$1'],
  [/ ?\| ?/g, ', '],
  [/&(?:nbsp|#160);/g, ' '],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&(?:quot|#34);/g, '"'],
  [/&(?:apos|#39);/g, "'"],
  [/&amp;/g, '&'],
]

/**
 * Returns the paragraphs of a text, each on one line. Lines that belong together are joined; headings, list items,
 * table rows and lines of code are separate paragraphs. Takes readable characters.
 */
export function toParagraphs(text: string): string[] {
  const paragraphs: string[] = []
  let open: string[] = []
  const close = () => {
    if (open.length === 0) return
    paragraphs.push(replaceAll(open.join(' '), marks))
    open = []
  }
  let isCode = false
  for (const written of text.split('\n')) {
    const line = written.replace(/\s+/g, ' ')
    if (fence.test(line)) {
      isCode = !isCode
      close()
    } else if (isCode) paragraphs.push(line)
    else if (line.trim() === '' || silentLine.test(line)) close()
    else {
      const unmarked = replaceAll(line, lineMarks)
      if (unmarked !== line) close()
      open.push(unmarked)
      if (closedLine.test(line)) close()
    }
  }
  close()
  return paragraphs.map((paragraph) => paragraph.replace(/ +/g, ' ').trim()).filter((paragraph) => paragraph !== '')
}

function replaceAll(text: string, replacements: Replacements): string {
  return replacements.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text)
}
