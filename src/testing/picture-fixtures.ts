/** Small pictures in all formats. `scripts/picture-fixtures/make.py` describes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

export interface PictureFixture {
  readonly name: string
  /** Ending of the file's name: png, jpg, gif, bmp or webp. */
  readonly format: string
  readonly bytes: Buffer
}

const folder = join(import.meta.dir, 'picture-fixtures')

export function pictureFixtures(): PictureFixture[] {
  return readdirSync(folder).map((name) => ({
    name,
    format: extname(name).slice(1),
    bytes: readFileSync(join(folder, name)),
  }))
}
