/**
 * Runs of a model that compute several chunks. A failed run is computed again in halves. A chunk at fault then fails
 * alone; if all halves succeed, the device had too little memory, and later runs are smaller.
 */
export class SharedRuns<Chunk, Result> {
  readonly #run: (chunks: readonly Chunk[]) => Promise<readonly Result[]>
  #limit: number

  /** `limit`: most chunks of one run. */
  constructor(limit: number, run: (chunks: readonly Chunk[]) => Promise<readonly Result[]>) {
    this.#limit = limit
    this.#run = run
  }

  get limit(): number {
    return this.#limit
  }

  /** Resolves with each chunk's result or failure. Never rejects. */
  async compute(chunks: readonly Chunk[]): Promise<PromiseSettledResult<Result>[]> {
    try {
      const results = await this.#run(chunks)
      return results.map((value) => ({ status: 'fulfilled', value }))
    } catch (reason) {
      if (chunks.length <= 1) return chunks.map(() => ({ status: 'rejected', reason }))
    }
    const half = Math.ceil(chunks.length / 2)
    const results = [...(await this.compute(chunks.slice(0, half))), ...(await this.compute(chunks.slice(half)))]
    if (results.every(({ status }) => status === 'fulfilled')) this.#limit = Math.min(this.#limit, half)
    return results
  }
}
