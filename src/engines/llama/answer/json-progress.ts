/** Progress of a JSON text that is still being written. */

interface JsonProgress {
  /** Start of the open string, after its quote; -1 outside of strings. */
  readonly stringStart: number
  /** True for a whole value with nothing to follow. */
  readonly isClosed: boolean
  /** Longest part that can be removed without changing the meaning of the rest. Undefined if none is worth it. */
  readonly removable: { readonly from: number; readonly to: number } | undefined
}

/** Characters kept at the end of a long string, because the following ones depend on them. */
const keptCharacters = 64

interface OpenContainer {
  firstComma: number
  lastComma: number
}

export function jsonProgress(text: string): JsonProgress {
  const containers: OpenContainer[] = []
  let stringStart = -1
  let isClosed = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (stringStart >= 0) {
      if (character === '\\') at++
      else if (character === '"') stringStart = -1
    } else if (character === '"') stringStart = at + 1
    else if (character === '{' || character === '[') containers.push({ firstComma: -1, lastComma: -1 })
    else if (character === '}' || character === ']') {
      containers.pop()
      isClosed = containers.length === 0
    } else if (character === ',') {
      const container = containers.at(-1)
      if (container === undefined) continue
      if (container.firstComma < 0) container.firstComma = at
      container.lastComma = at
    }
  }
  return {
    stringStart,
    isClosed: isClosed && stringStart < 0,
    removable: (stringStart < 0 ? undefined : insideString(text, stringStart)) ?? betweenCommas(containers),
  }
}

/** Returns the elements of the outermost container that holds many. */
function betweenCommas(containers: readonly OpenContainer[]): JsonProgress['removable'] {
  const container = containers.find(({ firstComma, lastComma }) => lastComma - firstComma > keptCharacters)
  return container && { from: container.firstComma, to: container.lastComma }
}

function insideString(text: string, start: number): JsonProgress['removable'] {
  const limit = text.length - keptCharacters
  let to = start
  while (to < limit) to += text[to] === '\\' ? 2 : 1
  return to - start > keptCharacters ? { from: start, to } : undefined
}

/** Returns the length of the object or array that a text begins with; undefined while it is incomplete. */
export function jsonEnd(text: string): number | undefined {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if ((token === '}' || token === ']') && --depth === 0) return index + 1
  }
  return undefined
}
