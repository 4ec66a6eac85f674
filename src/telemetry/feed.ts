/** Value that changes, and its followers. */
export class Feed<Value> {
  readonly #followers = new Set<(value: Value) => void>()
  readonly #onFirst: () => void
  #latest: Value | undefined

  /** `onFirst` is called when the first follower comes. */
  constructor(onFirst: () => void = () => undefined) {
    this.#onFirst = onFirst
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  get latest(): Value | undefined {
    return this.#latest
  }

  set(value: Value): void {
    this.#latest = value
    for (const follower of this.#followers) follower(value)
  }

  /** Calls `follower` with each later value, until the returned function is called. `follower` must not throw. */
  follow(follower: (value: Value) => void): () => void {
    const isFirst = !this.isFollowed
    this.#followers.add(follower)
    if (isFirst) this.#onFirst()
    return () => void this.#followers.delete(follower)
  }
}
