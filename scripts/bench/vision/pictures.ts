import { RandomWords } from '../../../src/testing/gguf/random-words.ts'
import { paint, toDataUrl, toPng } from '../../../src/testing/pictures.ts'

const side = 384
const blockSide = 32

/** Returns a picture of coloured squares as a data URL, a different one for each seed. */
export function randomPicture(seed: number): string {
  const random = new RandomWords(seed)
  const columns = side / blockSide
  const colours = Array.from({ length: columns ** 2 }, () => [byte(), byte(), byte()] as const)
  function byte() {
    return random.below(256)
  }
  const colourAt = (x: number, y: number) =>
    colours[Math.floor(y / blockSide) * columns + Math.floor(x / blockSide)] ?? ([0, 0, 0] as const)
  return toDataUrl(toPng(paint(side, side, colourAt)))
}

/** Returns a user's message: pictures, followed by a text. */
export function question(pictures: readonly string[], text: string) {
  const parts = pictures.map((url) => ({ type: 'image_url', image_url: { url } }))
  return { role: 'user', content: [...parts, { type: 'text', text }] }
}
