import { join } from 'node:path'

/** Packs a folder below `parent` into `kit.tar.xz.00` and so on, each at most this large. Returns their sizes. */
export async function writeParts(
  parent: string,
  name: string,
  { folder, partLimitBytes }: { readonly folder: string; readonly partLimitBytes: number },
): Promise<number[]> {
  // Separate blocks, so that several threads can unpack them.
  const compress = 'xz -2 -T0 --block-size=16MiB'
  const child = Bun.spawn(['tar', '-c', '-I', compress, '-C', parent, name], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const sizes: number[] = []
  let sink: Bun.FileSink | undefined
  let leftBytes = 0
  for await (const chunk of child.stdout) {
    for (let done = 0; done < chunk.length; ) {
      if (sink === undefined || leftBytes === 0) {
        await sink?.end()
        sink = Bun.file(join(folder, `kit.tar.xz.${String(sizes.length).padStart(2, '0')}`)).writer()
        sizes.push(0)
        leftBytes = partLimitBytes
      }
      const piece = chunk.subarray(done, done + leftBytes)
      sink.write(piece)
      await sink.flush()
      done += piece.length
      leftBytes -= piece.length
      sizes[sizes.length - 1] = partLimitBytes - leftBytes
    }
  }
  await sink?.end()
  if ((await child.exited) !== 0) throw new Error(`tar failed: ${name} is not packed`)
  return sizes
}
