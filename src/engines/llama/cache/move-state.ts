/**
 * Saved states of sequences, moved between layouts of the KV cache. Behind a header llama.cpp writes the number of caches, then for each
 * its count of cells, followed by the cells where there are any. A sequence has cells in one cache, so only the empty counts around those
 * differ between layouts.
 *
 * It holds for memory that is one plain KV cache. A state of any other kind is refused by llama.cpp when it is restored.
 */

/** A mark and the number of the sequence. */
const headerBytes = 8
const countBytes = 4
const firstCount = headerBytes + countBytes

/** Returns the same sequence as a context of `caches` caches saves it. */
export function moveState(state: Uint8Array, caches: number): Uint8Array {
  if (state.length < firstCount) return state
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength)
  const from = view.getUint32(headerBytes, true)
  if (from === caches || state.length < firstCount + countBytes * from) return state
  let empty = 0
  while (empty < from - 1 && view.getUint32(firstCount + countBytes * empty, true) === 0) empty++
  const cells = state.subarray(firstCount + countBytes * empty, state.length - countBytes * (from - 1 - empty))
  const moved = new Uint8Array(firstCount + cells.length + countBytes * (caches - 1))
  moved.set(state.subarray(0, headerBytes))
  new DataView(moved.buffer).setUint32(headerBytes, caches, true)
  moved.set(cells, firstCount)
  return moved
}
