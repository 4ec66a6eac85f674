/** Parts of the kit. Each has a time limit, and a failed one becomes a row with the reason. */

export interface Row {
  readonly part: string
  readonly what: string
  readonly value: string
  readonly isFailure: boolean
}

/** Notes one figure of a part. */
export type Note = (what: string, value: string, isFailure?: boolean) => void

export interface Part {
  readonly name: string
  /** Time limit in seconds. */
  readonly limitSeconds: number
  /** Runs the part. Passes everything that it starts to `scope`, which ends it after the part in every case. */
  run(note: Note, scope: Scope): Promise<void>
}

/** Ends everything that a part has started. */
export class Scope {
  readonly #ends: (() => unknown)[] = []
  #isOver = false

  /** Registers how something is ended. Ends it at once if the part is over. */
  add(end: () => unknown): void {
    if (this.#isOver) end()
    else this.#ends.push(end)
  }

  async end(): Promise<void> {
    this.#isOver = true
    for (const end of this.#ends.splice(0).reverse()) {
      try {
        await end()
      } catch {
        // It has ended already.
      }
    }
  }
}

export interface RunOptions {
  readonly totalSeconds: number
  readonly onRow: (row: Row) => void
}

/** Runs the parts one after the other. Parts without time left become rows that say so. */
export async function runParts(parts: readonly Part[], { totalSeconds, onRow }: RunOptions): Promise<Row[]> {
  const rows: Row[] = []
  const beginMs = performance.now()
  for (const { name, limitSeconds, run } of parts) {
    const note: Note = (what, value, isFailure = false) => {
      const row = { part: name, what, value, isFailure }
      rows.push(row)
      onRow(row)
    }
    const leftSeconds = totalSeconds - (performance.now() - beginMs) / 1000
    if (leftSeconds < 1) {
      note('not run', `${totalSeconds} s were over`, true)
      continue
    }
    await runPart(run, note, Math.min(limitSeconds, leftSeconds))
  }
  return rows
}

async function runPart(run: Part['run'], note: Note, limitSeconds: number): Promise<void> {
  const scope = new Scope()
  const startMs = performance.now()
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`over its ${limitSeconds.toFixed(0)} s`)), limitSeconds * 1000)
  let isOver = false
  const noteWhileOn: Note = (...row) => {
    if (!isOver) note(...row)
  }
  const running = run(noteWhileOn, scope)
  // Nobody waits for it after the limit, and it fails when its servers are ended.
  running.catch(() => undefined)
  try {
    await Promise.race([running, limit.promise])
  } catch (error) {
    noteWhileOn('failed', firstLines(error instanceof Error ? error.message : `${error}`), true)
  } finally {
    isOver = true
    clearTimeout(timer)
    await scope.end()
  }
  note('took', `${((performance.now() - startMs) / 1000).toFixed(1)} s`)
}

/** A row is one line. */
function firstLines(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' / ')
    .slice(0, 300)
}
