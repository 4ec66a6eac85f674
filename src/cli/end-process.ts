/** Time for what runs in order. */
const graceMs = 1_000

/**
 * Ends the process a second after its work is done, if it has not ended by then. A thread in the middle of a query and a
 * file on a disk that hangs would hold it for minutes or for ever.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), graceMs).unref()
}
