import { setImmediate } from 'node:timers/promises'

/** Longest time that the event loop is blocked at once. */
const turnMs = 5

/** Joins the pieces while other requests are served: writing a million numbers takes a tenth of a second. */
export async function joinInTurns(
  pieces: Iterable<string>,
  nowMs: () => number = () => performance.now(),
): Promise<string> {
  let text = ''
  let beganAtMs = nowMs()
  for (const piece of pieces) {
    text += piece
    if (nowMs() - beganAtMs < turnMs) continue
    await setImmediate()
    beganAtMs = nowMs()
  }
  return text
}
