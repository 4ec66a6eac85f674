/** The parts of a stream of text that `separator` ends, by default its lines; what comes after the last one is dropped. */
export async function* textParts(stream: ReadableStream<Uint8Array>, separator = '\n'): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  // A reader that has what it wants does not close the stream: the other side may go on writing to it.
  for await (const bytes of stream.values({ preventCancel: true })) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(separator)
    rest = parts.pop() ?? ''
    yield* parts
  }
}
