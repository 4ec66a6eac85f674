/** Marks the words of a search in the message where they were found. */
import type { Hit } from './kept/chats.ts'
import { rangesIn } from './kept/excerpt.ts'
import { partsOf } from './kept/words.ts'

/** Name in the stylesheet. */
const name = 'found'

/** Marks the words of a search where they are drawn. Returns the first place; undefined if the message is not drawn. */
export function markHit({ exchange, query }: Hit): Element | Range | undefined {
  const message = document.querySelector(`[data-exchange="${exchange}"]`)
  if (message === null) return undefined
  const parts = partsOf(query)
  const ranges: Range[] = []
  const nodes = document.createTreeWalker(message, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    // Names of buttons and models were not searched.
    if (node.parentElement?.closest('.said, .plain, .answer-text') == null) continue
    for (const [start, end] of rangesIn(node.textContent ?? '', parts)) {
      const range = new Range()
      range.setStart(node, start)
      range.setEnd(node, end)
      ranges.push(range)
    }
  }
  // Older browsers mark nothing.
  if ('highlights' in CSS) CSS.highlights.set(name, new Highlight(...ranges))
  return ranges[0] ?? message
}

export function unmarkHit(): void {
  if ('highlights' in CSS) CSS.highlights.delete(name)
}
