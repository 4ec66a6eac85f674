import { setImmediate } from 'node:timers/promises'

/** How long the event loop is kept from other requests at a time. */
const turnMs = 5

/** Joins the pieces while other requests are served: a million numbers take a tenth of a second to write. */
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
