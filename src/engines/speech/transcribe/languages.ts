/** Which language is spoken in a recording, from what the client says, what the model hears, and what it knows. Pure. */
export class SpokenLanguages {
  readonly #stated: string | undefined
  /** Language -> samples in which it was heard. */
  readonly #heard = new Map<string, number>()
  readonly #only: string | undefined

  /** `known`: all that the model knows. */
  constructor(stated: string | undefined, known: readonly string[] | undefined) {
    this.#stated = stated
    this.#only = known?.length === 1 ? known[0] : undefined
  }

  hear(language: string | undefined, samples: number): void {
    if (language !== undefined) this.#heard.set(language, (this.#heard.get(language) ?? 0) + samples)
  }

  /** The one that was heard longest. */
  most(): string | undefined {
    const [longest] = [...this.#heard].sort(([, first], [, second]) => second - first)
    return this.#stated ?? longest?.[0] ?? this.#only
  }
}
