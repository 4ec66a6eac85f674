/** The pictures of running requests: which are encoded next, and what was made of them until it is decoded. */
import type { ErrorData } from '../../../core/errors.ts'
import type { Answer } from '../answer/answer.ts'
import type { NativeEncodedPicture, NativeProjector } from '../native.ts'
import { type EncodedPicture, EncoderCache } from './encoder-cache.ts'
import type { GrantedRequest } from './granted-request.ts'
import type { PictureSlot } from './plan-pictures.ts'
import { type PictureRun, type PromptPicture, picturesFrom, runAt } from './prompt-layout.ts'
import type { Slot } from './slot.ts'

/** More pictures at once make no projector faster. */
const mostTogether = 16
/** Accounts whose last turn is remembered. */
const rememberedAccounts = 1000
/** Of positions, where they have several. */
const mostDimensions = 4

export interface PicturesOptions {
  /** Undefined: no request has pictures. */
  readonly projector: Pick<NativeProjector, 'encode' | 'isNonCausal'> | undefined
  /** Memory for pictures that no request needs at the moment. */
  readonly cacheBytes: number
  /** What was made of one account's pictures serves others too. */
  readonly shareCache: boolean
  /** Hashes of pictures that an earlier process may have died over. */
  readonly suspects: ReadonlySet<string>
}

/** What slots have next. */
export interface SortedSlots {
  readonly tokens: Slot[]
  readonly pictures: PictureSlot[]
  /** A picture that has to be encoded first. */
  readonly encoding: Slot[]
}

/** A picture that cannot be decoded, and a request that has it. */
export interface FailedPicture {
  readonly request: GrantedRequest
  readonly error: ErrorData
}

/** A picture that a slot has before it. */
export interface WantedPicture {
  readonly slot: Slot
  readonly picture: PromptPicture
  /** In the cache. */
  readonly key: string
}

export class Pictures {
  readonly #options: PicturesOptions
  readonly #cache: EncoderCache
  /** Accounts whose pictures were encoded; the last one is the most recent. */
  #served: readonly string[] = []
  #encoded = 0

  constructor(options: PicturesOptions) {
    this.#options = options
    this.#cache = new EncoderCache(options.cacheBytes)
  }

  get isNonCausal(): boolean {
    return this.#options.projector?.isNonCausal === true
  }

  /** Pictures encoded so far. */
  get encoded(): number {
    return this.#encoded
  }

  /** Keys of the pictures that an answer has before it and of which it is not known whether they can be decoded. */
  unknownOf(request: GrantedRequest, { runs, decoded }: Answer): Set<string> {
    const pictures = picturesFrom(runs, decoded).filter((picture) => !this.#cache.has(this.#keyOf(request, picture)))
    return new Set(pictures.map(({ key }) => key))
  }

  /** Takes from the cache what is there of the pictures that come next. */
  sort(working: readonly Slot[]): SortedSlots {
    const sorted: SortedSlots = { tokens: [], pictures: [], encoding: [] }
    for (const slot of working) {
      const run = runAt(slot.answer.runs, slot.answer.decoded)
      const encoded = run && this.#take(slot.request, run.picture)?.[run.part]
      if (run === undefined) sorted.tokens.push(slot)
      else if (encoded === undefined) sorted.encoding.push(slot)
      else sorted.pictures.push({ slot, run, encoded })
    }
    return sorted
  }

  /**
   * What to encode of the slots' pictures: one of each account before the second of another, those of the accounts first that have
   * waited longest. `isAwaited`: answers wait until it is done, so it is one picture. A suspect is one too: if this process dies
   * over it, no other picture is blamed.
   */
  choose(slots: readonly Slot[], isAwaited: boolean): readonly WantedPicture[] {
    const wanted = this.#inTurn(slots)
    const isSuspect = ({ picture }: WantedPicture) => this.#options.suspects.has(picture.hash)
    if (isAwaited || wanted.slice(0, 1).some(isSuspect)) return wanted.slice(0, 1)
    return wanted.filter((picture) => !isSuspect(picture)).slice(0, mostTogether)
  }

  /** Encodes the first of the chosen ones, for all of the slots. Returns those that cannot be decoded. */
  async encode(chosen: readonly WantedPicture[], slots: readonly Slot[], threads: number): Promise<FailedPicture[]> {
    const { projector } = this.#options
    if (projector === undefined) throw new Error('a picture without a projector: this is a bug')
    const pictures = chosen.map(({ picture }) => picture)
    const results = await projector.encode(pictures, threads)
    if (results.length === 0) throw new Error('the projector encoded no picture: this is a bug')
    return results.flatMap((result, index) => {
      const done = chosen[index]
      if (done === undefined) throw new Error('the projector encoded too many pictures: this is a bug')
      this.#encoded++
      this.#noteServed(done.slot.accountId)
      return this.#handOut(done, result, slots)
    })
  }

  /** A slot has decoded a part of a picture: forgets the picture when the slot needs it no more. It may still be cached. */
  release({ request, answer }: Slot, { picture: { key } }: PictureRun): void {
    if (!picturesFrom(answer.runs, answer.decoded).some((other) => other.key === key)) request.encoded.delete(key)
  }

  #take(request: GrantedRequest, picture: PromptPicture): EncodedPicture | undefined {
    const held = request.encoded.get(picture.key)
    if (held !== undefined) return held
    const cached = this.#cache.get(this.#keyOf(request, picture))
    if (cached !== undefined) hold(request, picture, cached)
    return cached
  }

  /** To all slots that have the picture before them. */
  #handOut(done: WantedPicture, result: NativeEncodedPicture, slots: readonly Slot[]): FailedPicture[] {
    const made = checked(result, done.slot.answer.runs, done.picture)
    if (made.kind === 'encoded') this.#cache.add(done.key, made.parts)
    const failed: FailedPicture[] = []
    for (const { slot, picture } of slots.flatMap((slot) => this.#ahead(slot))) {
      if (this.#keyOf(slot.request, picture) !== done.key) continue
      if (made.kind === 'encoded') hold(slot.request, picture, made.parts)
      else failed.push({ request: slot.request, error: undecodableError(picture, made.message) })
    }
    return failed
  }

  /** First the next picture of each slot, then the second one; slots by how long their accounts have waited. */
  #inTurn(slots: readonly Slot[]): WantedPicture[] {
    const turn = ({ accountId }: Slot) => this.#served.indexOf(accountId)
    const prompts = slots.toSorted((one, other) => turn(one) - turn(other)).map((slot) => this.#ahead(slot))
    const byKey = new Map<string, WantedPicture>()
    for (let place = 0; place < mostTogether; place++) {
      for (const prompt of prompts) {
        const wanted = prompt[place]
        if (wanted === undefined || byKey.has(wanted.key) || this.#cache.has(wanted.key)) continue
        byKey.set(wanted.key, wanted)
      }
    }
    return [...byKey.values()]
  }

  /** The pictures of a slot that are neither decoded nor encoded. */
  #ahead(slot: Slot): WantedPicture[] {
    const { request, answer } = slot
    return picturesFrom(answer.runs, answer.decoded)
      .filter(({ key }) => !request.encoded.has(key))
      .map((picture) => ({ slot, picture, key: this.#keyOf(request, picture) }))
  }

  #noteServed(accountId: string): void {
    const others = this.#served.filter((other) => other !== accountId)
    this.#served = [...others, accountId].slice(-rememberedAccounts)
  }

  #keyOf({ accountId }: GrantedRequest, { key }: PromptPicture): string {
    return this.#options.shareCache ? key : `${accountId}\n${key}`
  }
}

/** It is needed until it has been decoded, cached or not. */
function hold(request: GrantedRequest, { key }: PromptPicture, encoded: EncodedPicture): void {
  request.encoded.set(key, encoded)
  request.unseen.delete(key)
}

/** A picture that is not what its header says may have other parts than its prompt has places for. */
function checked(
  result: NativeEncodedPicture,
  runs: readonly PictureRun[],
  { key }: PromptPicture,
): NativeEncodedPicture {
  if (result.kind === 'undecodable') return result
  const fits = runs
    .filter(({ picture }) => picture.key === key)
    .every(({ entries, part }) => {
      const positions = result.parts[part]?.positions.length
      return positions === entries || positions === entries * mostDimensions
    })
  return fits ? result : { kind: 'undecodable', message: 'it is not what its header says' }
}

function undecodableError({ param }: PromptPicture, reason: string): ErrorData {
  const message = `'${param}' cannot be decoded: ${reason}. Send a picture that opens in an image viewer.`
  return { kind: 'invalid_request', code: 'invalid_image', message, param }
}
