/** Bun's additions to the browser's types, needed because operation types come from the server's sources. */
interface Worker {
  unref(): void
}
