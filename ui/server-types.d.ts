/** What Bun adds to the browser's types: the types of operations are read from the server's own sources. */
interface Worker {
  unref(): void
}
