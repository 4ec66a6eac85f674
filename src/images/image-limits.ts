import { ApiError } from '../core/errors.ts'
import type { ImageHeader } from './header/image-format.ts'

export interface ImageLimits {
  /** Bytes of one picture file. */
  readonly bytes: number
  /** Pixels of the width, and of the height. */
  readonly sidePixels: number
  /** Millions of pixels. Each pixel takes up to 24 bytes of memory during decoding. */
  readonly megapixels: number
  /** Pictures per request. */
  readonly count: number
}

/** Throws ApiError 413 if the file is too large, 400 `invalid_image` if it has too many pixels. */
export function requireWithin(
  { sizeBytes, header }: { readonly sizeBytes: number; readonly header: ImageHeader },
  limits: ImageLimits,
  param: string,
): void {
  if (sizeBytes > limits.bytes) throw fileTooLarge(limits, param)
  const { width, height } = header
  const size = `'${param}': the picture has ${width} x ${height} pixels`
  if (Math.max(width, height) > limits.sidePixels)
    throw tooManyPixels(`${size}; at most ${limits.sidePixels} a side are read`, param)
  if (width * height > limits.megapixels * 1e6)
    throw tooManyPixels(`${size}; at most ${limits.megapixels} million are read`, param)
}

export function fileTooLarge({ bytes }: ImageLimits, param: string): ApiError {
  const message = `'${param}': a picture may have at most ${bytes} bytes. Send a smaller one.`
  return new ApiError('payload_too_large', message, { code: 'payload_too_large', param })
}

/** Throws ApiError 400 `too_many_images` that names the first picture beyond the limit. */
export function requireFew(images: readonly { readonly param: string }[], { count }: ImageLimits): void {
  const param = images[count]?.param
  if (param === undefined) return
  const message = `'${param}': a request may have at most ${count} pictures, and this one has ${images.length}. Leave out the oldest.`
  throw new ApiError('invalid_request', message, { code: 'too_many_images', param })
}

/** Returns the error of a request whose pictures can never fit, even if it waits. */
export function picturesTooLarge(neededBytes: number, limitBytes: number): ApiError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
  const message =
    `The pictures of this request take ${megabytes(neededBytes)} MB or more on the server, which keeps at most ` +
    `${megabytes(limitBytes)} MB of an account. WebP takes 3 bytes a pixel. Send fewer or smaller pictures.`
  return new ApiError('payload_too_large', message, { code: 'payload_too_large' })
}

function tooManyPixels(problem: string, param: string): ApiError {
  return new ApiError('invalid_request', `${problem}. Send a smaller picture.`, { code: 'invalid_image', param })
}
