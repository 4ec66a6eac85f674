/**
 * Pictures that a model's engine died over. A file can make native code crash or hang, and its client sends it again: the second
 * time it is the picture, and no engine is given it a third time. Pictures are decoded and encoded at a time, so that the first time
 * it may have been another one: from then on each of them is decoded and encoded alone.
 */
import { picturesOf } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import type { Work } from '../../core/work.ts'
import { deadlyPicture } from '../shared/engine-errors.ts'

const enoughDeaths = 2

/** Number of pictures remembered; the oldest are forgotten first. */
const limit = 1000

export class DeadlyPictures {
  readonly #deaths = new Map<string, number>()

  /** Records pictures that the engine was decoding or encoding when it ended without being asked to. */
  note(hashes: readonly string[]): void {
    for (const hash of hashes) {
      const deaths = (this.#deaths.get(hash) ?? 0) + 1
      this.#deaths.delete(hash)
      this.#deaths.set(hash, deaths)
    }
    for (const hash of [...this.#deaths.keys()].slice(0, -limit)) this.#deaths.delete(hash)
  }

  /** Acquits pictures that the engine has encoded without a crash: its end had another cause. */
  acquit(hashes: readonly string[]): void {
    for (const hash of hashes) this.#deaths.delete(hash)
  }

  /** Hashes of those that an engine has died over. */
  suspects(): readonly string[] {
    return [...this.#deaths.keys()]
  }

  /** Hashes of those that no engine is given any more. */
  list(): readonly string[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= enoughDeaths).map(([hash]) => hash)
  }
}

/** Returns the refusal of work with one of those pictures; undefined if it has none. */
export function deadlyPictureIn({ request }: Work, deadly: ReadonlySet<string>): ApiError | undefined {
  if (deadly.size === 0 || !('messages' in request)) return undefined
  const found = picturesOf(request.messages).find(({ hash }) => deadly.has(hash))
  return found && deadlyPicture(found.param)
}
