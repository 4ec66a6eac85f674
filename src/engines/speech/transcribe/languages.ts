/** Language of a recording, from the client's declaration, the model's detection, and the model's languages. Pure. */
export class SpokenLanguages {
  readonly #stated: string | undefined
  /** Samples by detected language. */
  readonly #heard = new Map<string, number>()
  readonly #only: string | undefined

  /** `known` lists all languages of the model. */
  constructor(stated: string | undefined, known: readonly string[] | undefined) {
    this.#stated = stated
    this.#only = known?.length === 1 ? known[0] : undefined
  }

  hear(language: string | undefined, samples: number): void {
    if (language !== undefined) this.#heard.set(language, (this.#heard.get(language) ?? 0) + samples)
  }

  /** Returns the declared language, else the one detected in most samples, else the model's only one. */
  most(): string | undefined {
    const [longest] = [...this.#heard].sort(([, first], [, second]) => second - first)
    return this.#stated ?? longest?.[0] ?? this.#only
  }
}
