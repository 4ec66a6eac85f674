/** Pixels with alpha, four bytes each, and their offset on a canvas. */
interface Frame {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
  readonly rgba: Uint8Array | Uint8ClampedArray
}

export interface Canvas {
  readonly width: number
  readonly height: number
}

const white = 255

/** Returns the size of a PPM file. */
export function ppmBytes({ width, height }: Canvas): number {
  return headOf({ width, height }).length + width * height * 3
}

function headOf({ width, height }: Canvas): Buffer {
  return Buffer.from(`P6\n${width} ${height}\n255\n`)
}

/** Returns a PPM file of the frame over white, cut at the canvas. */
export function toPpm(frame: Frame, { width, height }: Canvas): Uint8Array<ArrayBuffer> {
  const head = headOf({ width, height })
  const file = new Uint8Array(ppmBytes({ width, height })).fill(white)
  file.set(head)
  const columns = Math.min(frame.width, width - frame.left)
  const rows = Math.min(frame.height, height - frame.top)
  const { rgba } = frame
  for (let y = 0; y < rows; y++) {
    let from = y * frame.width * 4
    let to = head.length + ((frame.top + y) * width + frame.left) * 3
    for (let x = 0; x < columns; x++, from += 4, to += 3) {
      const alpha = rgba[from + 3] ?? 0
      file[to] = overWhite(rgba[from] ?? 0, alpha)
      file[to + 1] = overWhite(rgba[from + 1] ?? 0, alpha)
      file[to + 2] = overWhite(rgba[from + 2] ?? 0, alpha)
    }
  }
  return file
}

function overWhite(value: number, alpha: number): number {
  return white - Math.round(((white - value) * alpha) / 255)
}
