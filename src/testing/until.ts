/** Time for what is awaited to come about on a machine that does much else. */
const patienceMs = 60_000
/** Time between two looks: a loop without a pause takes a core from the process that it waits for. */
const betweenLooksMs = 20

/**
 * Looks again and again until what it sees is right, and returns that. Rejects after a minute, or `waitMs`, with what was awaited and
 * what was seen last.
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
