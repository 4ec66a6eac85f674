import type { ImageLimits } from '../images/image-limits.ts'

/** Limits of a server without settings. */
export const testImageLimits: ImageLimits = { bytes: 20_000_000, sidePixels: 16_384, megapixels: 40, count: 100 }
