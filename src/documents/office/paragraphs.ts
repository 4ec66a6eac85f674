import { requireShort } from '../document-pages.ts'
import { readXml, type XmlToken } from './xml.ts'

/** Text that an empty tag stands for. */
const marks: Readonly<Record<string, string>> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' }

/** Returns the text of a document's or a slide's XML, a line per paragraph and per row of a table. Throws Unreadable. */
export function paragraphsOf(xml: string): string {
  const pieces: string[] = []
  let characters = 0
  const add = (piece: string) => {
    characters += piece.length
    requireShort(characters)
    pieces.push(piece)
  }
  const depths = new Depths()
  for (const token of readXml(xml)) {
    depths.pass(token)
    // The fallback of a drawing repeats its text.
    if (depths.of('Fallback') > 0) continue
    if (token.type === 'text') {
      if (depths.of('t') > 0) add(token.text)
    } else if (token.type === 'close') add(ending(token.name, depths.of('tc') > 0))
    // Places of tabs have attributes, and tabs none.
    else if (Object.hasOwn(marks, token.name) && (token.name !== 'tab' || token.attributes.trim() === '')) {
      add(marks[token.name] ?? '')
    }
  }
  return tidied(pieces.join(''))
}

/** Returns the text after a tag: cells are separated by tabs, and paragraphs within one stay on its row. */
function ending(name: string, isInCell: boolean): string {
  if (name === 'p') return isInCell ? ' ' : '\n'
  if (name === 'tc') return '\t'
  return name === 'tr' ? '\n' : ''
}

function tidied(text: string): string {
  const lines = text.replaceAll(' \t', '\t').split('\n')
  // A pattern for the spaces before a line's end would take quadratic time.
  const trimmed = lines.map((line) => line.trimEnd()).join('\n')
  return trimmed.replace(/\n{3,}/g, '\n\n').trim()
}

/** Tags that are open, by name. */
class Depths {
  readonly #open: Record<string, number> = { t: 0, tc: 0, Fallback: 0 }

  of(name: string): number {
    return this.#open[name] ?? 0
  }

  pass(token: XmlToken): void {
    if (token.type === 'text' || !Object.hasOwn(this.#open, token.name)) return
    if (token.type === 'close') this.#open[token.name] = Math.max(0, this.of(token.name) - 1)
    else if (!token.isEmpty) this.#open[token.name] = this.of(token.name) + 1
  }
}
