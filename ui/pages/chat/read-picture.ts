import { bytesText } from '../../parts/bytes-text.ts'
import { texts } from '../../texts/texts.ts'
import { newId, type Picture } from './conversation.ts'

/** First bytes of each picture type. The file's name is ignored. */
const beginnings: readonly (readonly [type: string, test: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/gif', /^GIF8/],
]

/** Tells whether a file is a picture, or calls itself one. SVG is text. */
export async function isPictureFile(file: File): Promise<boolean> {
  const isNamedSo = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  return isNamedSo || (await typeOf(file)) !== undefined
}

async function typeOf(file: File): Promise<string | undefined> {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 16).arrayBuffer()))
  return beginnings.find(([, test]) => test.test(head))?.[0]
}

/** Returns a file as a picture that can be sent. Rejects with an Error that explains why it cannot be. */
export async function readPicture(file: File, limitBytes: number | undefined): Promise<Picture> {
  if (limitBytes !== undefined && file.size > limitBytes)
    throw new Error(texts.chat.pictureTooLarge(file.name, bytesText(file.size), bytesText(limitBytes)))
  const type = await typeOf(file)
  if (type === undefined) throw new Error(texts.chat.noPicture(file.name))
  const url = await dataUrl(new Blob([file], { type }))
  const { naturalWidth: width, naturalHeight: height } = await decoded(url, file.name)
  return { id: newId(), url, name: file.name, width, height, bytes: file.size }
}

/** Returns a file as a data URL. */
export function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

async function decoded(url: string, name: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = url
  try {
    await image.decode()
  } catch {
    throw new Error(texts.chat.noPicture(name))
  }
  return image
}
