/**
 * Yields the parts of a text stream that `separator` ends, by default its lines. Text after the last separator is
 * dropped.
 */
export async function* textParts(stream: ReadableStream<Uint8Array>, separator = '\n'): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  // The stream stays open when the reader stops, since the other side may still write to it.
  for await (const bytes of stream.values({ preventCancel: true })) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(separator)
    rest = parts.pop() ?? ''
    yield* parts
  }
}
