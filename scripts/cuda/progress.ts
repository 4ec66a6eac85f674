/** Milliseconds between two lines if a line cannot be overwritten. */
const betweenLinesMs = 60_000

/** Returns a function that shows files done and time left on one line, which a terminal overwrites and a log repeats every minute. */
export function progressLine(
  name: string,
  output: NodeJS.WriteStream = process.stderr,
): (done: number, total: number) => void {
  const startMs = performance.now()
  let shownMs = Number.NEGATIVE_INFINITY
  return (done, total) => {
    const nowMs = performance.now()
    const text = `${name}: ${done} of ${total} files${timeLeft(nowMs - startMs, done, total)}`
    if (output.isTTY) output.write(`\r${text}\u001B[K${done === total ? '\n' : ''}`)
    else if (done === total || nowMs - shownMs >= betweenLinesMs) {
      shownMs = nowMs
      output.write(`${text}\n`)
    }
  }
}

/** Returns `, about 3 minutes left`, from the mean time of the files that are done. */
export function timeLeft(elapsedMs: number, done: number, total: number): string {
  if (done === 0 || done === total) return ''
  const seconds = ((elapsedMs / done) * (total - done)) / 1000
  return seconds < 90 ? `, about ${Math.ceil(seconds)} s left` : `, about ${Math.ceil(seconds / 60)} minutes left`
}
