/** Keys of the list of conversations. */

export type ListAction = { readonly move: number } | 'rename' | 'remove' | undefined

const moves: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  // -1 is the search field before the list.
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Returns what a key does on a row of the list: move to another row, or change this one. */
export function listAction(event: KeyboardEvent, index: number, count: number): ListAction {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  if (altKey || ctrlKey || metaKey || shiftKey) return undefined
  if (key === 'F2') return 'rename'
  if (key === 'Delete') return 'remove'
  const move = moves[key]
  return move === undefined ? undefined : { move: move(index, count) }
}
