import type { Browser } from 'playwright-core'

/** Edge of the squares in which differences are counted, in pixels */
const tilePixels = 40

/** Difference of a colour's part, of 255, that is taken for the same */
const sameUpTo = 24

/**
 * Compares two PNG pictures in the browser. Returns the greatest share of differing pixels in any square of 40 pixels,
 * so that a change of one button counts in a picture of any size, or 1 if the pictures differ in size.
 */
export async function pictureDifference(browser: Browser, one: Uint8Array, other: Uint8Array): Promise<number> {
  const page = await browser.newPage()
  const pictures = [one, other].map((bytes) => `data:image/png;base64,${bytes.toBase64()}`)
  try {
    return await page.evaluate(
      async ({ pictures, tilePixels, sameUpTo }) => {
        const [before, after] = await Promise.all(
          pictures.map(async (source) => {
            const image = new Image()
            image.src = source
            await image.decode()
            const canvas = new OffscreenCanvas(image.width, image.height)
            const context = canvas.getContext('2d')
            context?.drawImage(image, 0, 0)
            return context?.getImageData(0, 0, image.width, image.height)
          }),
        )
        if (before === undefined || after === undefined) throw new Error('a picture cannot be read')
        if (before.width !== after.width || before.height !== after.height) return 1
        const across = Math.ceil(before.width / tilePixels)
        const counts = new Map<number, number>()
        for (let pixel = 0; pixel < before.width * before.height; pixel += 1) {
          const differs = [0, 1, 2].some(
            (part) => Math.abs((before.data[4 * pixel + part] ?? 0) - (after.data[4 * pixel + part] ?? 0)) > sameUpTo,
          )
          if (!differs) continue
          const [x, y] = [pixel % before.width, Math.floor(pixel / before.width)]
          const tile = Math.floor(y / tilePixels) * across + Math.floor(x / tilePixels)
          counts.set(tile, (counts.get(tile) ?? 0) + 1)
        }
        return Math.max(0, ...counts.values()) / tilePixels ** 2
      },
      { pictures, tilePixels, sameUpTo },
    )
  } finally {
    await page.close()
  }
}
