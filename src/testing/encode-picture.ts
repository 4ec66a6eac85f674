import type { NativePicture, NativePictureEmbeddings, NativeProjector } from '../engines/llama/native-projector.ts'

/** Returns the embeddings of a picture's parts, or the reason why it cannot be decoded. */
export async function encodePicture(
  projector: NativeProjector,
  picture: NativePicture,
): Promise<readonly NativePictureEmbeddings[] | string> {
  const prepared = await projector.prepare(picture)
  if (prepared.kind === 'undecodable') return prepared.message
  const [parts] = await projector.encode([prepared.number], 1)
  projector.drop(prepared.number)
  if (parts === undefined) throw new Error('nothing came back')
  return parts
}
