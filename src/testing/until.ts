/** Time limit, long enough for a busy machine, in milliseconds. */
const patienceMs = 60_000
/**
 * Pause between two checks in milliseconds. Without it the loop would take a core from the process that it waits for.
 */
const betweenLooksMs = 20

/**
 * Calls `look` until its result is right, and returns that. Rejects after a minute, or `waitMs`, with the awaited
 * condition and the last result.
 */
export async function until<Seen>(
  awaited: string,
  look: () => Promise<Seen> | Seen,
  isRight: (seen: Seen) => boolean,
  waitMs = patienceMs,
): Promise<Seen> {
  const endsAtMs = performance.now() + waitMs
  for (;;) {
    const seen = await look()
    if (isRight(seen)) return seen
    if (performance.now() > endsAtMs)
      throw new Error(`${awaited}: not within ${waitMs} ms, last seen ${Bun.inspect(seen)}`)
    await Bun.sleep(betweenLooksMs)
  }
}
