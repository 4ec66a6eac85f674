/** Pictures of running requests: the order of decoding and encoding, and the results until they are in the prompt. */
import type { ErrorData } from '../../../core/errors.ts'
import type { Answer } from '../answer/answer.ts'
import type { NativePictureEmbeddings, NativeProjector } from '../native-projector.ts'
import { type EncodedPicture, EncoderCache } from './encoder-cache.ts'
import type { GrantedRequest } from './granted-request.ts'
import { PreparedPictures, type WantedPicture } from './prepared-pictures.ts'
import { isSound, type PictureRun, type PromptPicture, picturesFrom, runAt } from './prompt-layout.ts'
import type { Slot } from './slot.ts'
import type { PictureSlot } from './step-plan.ts'

/** Most pictures per encoding. More make no projector faster. */
const mostTogether = 16
/** Number of accounts whose latest turn is remembered. */
const rememberedAccounts = 1000

export interface PicturesOptions {
  readonly projector: Pick<NativeProjector, 'prepare' | 'drop' | 'encode' | 'isNonCausal'>
  /** Memory for pictures that no request needs at the moment. */
  readonly cacheBytes: number
  /** Memory for pictures that are decoded and not yet encoded. */
  readonly preparedBytes: number
  /** True if encoded pictures of one account serve others too. */
  readonly shareCache: boolean
  /** Hashes of pictures that may have crashed an earlier process. */
  readonly suspects: ReadonlySet<string>
}

interface PictureEvents {
  /** Called with the hashes of a request's pictures before they are decoded or encoded and can do harm. */
  readonly onHandling: (request: GrantedRequest, hashes: readonly string[]) => void
  /** Called when there is something new to encode, or to refuse. */
  readonly onPrepared: () => void
  readonly onFatal: (error: unknown) => void
}

/** Slots by their next work. */
export interface SortedSlots {
  readonly tokens: Slot[]
  readonly pictures: PictureSlot[]
  /** Slots whose next picture can be encoded now. */
  readonly encoding: Slot[]
}

interface EncodeOptions {
  /** All slots that receive the results. */
  readonly working: readonly Slot[]
  /** True if answers wait until it is done. */
  readonly isAwaited: boolean
  readonly threads: number
}

/** Undecodable picture, and a request that has it. */
interface FailedPicture {
  readonly request: GrantedRequest
  readonly error: ErrorData
}

export class Pictures {
  readonly #options: PicturesOptions
  readonly #events: PictureEvents
  readonly #cache: EncoderCache
  readonly #prepared: PreparedPictures
  /** Accounts whose pictures were encoded, the most recent last. */
  #served: readonly string[] = []
  /** Pictures being encoded. */
  #encoding: readonly WantedPicture[] = []
  #encoded = 0

  constructor(options: PicturesOptions, events: PictureEvents) {
    const { projector, preparedBytes: limitBytes, cacheBytes, suspects } = options
    this.#options = options
    this.#events = events
    this.#cache = new EncoderCache(cacheBytes)
    this.#prepared = new PreparedPictures({
      ...{ ...events, projector, limitBytes },
      isSuspect: ({ picture }) => suspects.has(picture.hash),
      encoding: () => this.#encoding,
      onChange: ({ slot }) => this.#tell(slot.request),
    })
  }

  get isNonCausal(): boolean {
    return this.#options.projector.isNonCausal
  }

  /** Number of encoded pictures so far. */
  get encoded(): number {
    return this.#encoded
  }

  /** Returns whether a picture of the request is being decoded: the process may crash, and its file must stay. */
  isDecoding(request: GrantedRequest): boolean {
    return this.#prepared.current?.slot.request === request
  }

  /** Returns the keys of pictures ahead of an answer that may turn out undecodable. */
  unknownOf(request: GrantedRequest, { runs, decoded }: Answer): Set<string> {
    const pictures = picturesFrom(runs, decoded).filter((picture) => !this.#cache.has(this.#keyOf(request, picture)))
    return new Set(pictures.map(({ key }) => key))
  }

  /** Decodes the pictures ahead of these slots, and no others. Returns those that cannot be decoded. */
  prepare(working: readonly Slot[]): FailedPicture[] {
    const ahead = working.map((slot) => this.#ahead(slot))
    this.#prepared.want(this.#inTurn(ahead))
    return ahead.flat().flatMap(({ slot: { request }, picture, key }) => {
      const problem = this.#prepared.problemOf(key)
      return problem === undefined ? [] : { request, error: undecodableError(picture, problem) }
    })
  }

  /**
   * Sorts slots by their next work, and adds cached pictures to them. Leaves out slots whose next picture cannot be
   * encoded yet: a prompt's pictures are encoded once all are decoded, as far as memory allows, so that a damaged one
   * is found first.
   */
  sort(working: readonly Slot[]): SortedSlots {
    const sorted: SortedSlots = { tokens: [], pictures: [], encoding: [] }
    for (const slot of working) {
      const run = runAt(slot.answer.runs, slot.answer.decoded)
      const encoded = run && this.#take(slot.request, run.picture)?.[run.part]
      if (run === undefined) sorted.tokens.push(slot)
      else if (encoded !== undefined) sorted.pictures.push({ slot, run, encoded })
      else if (this.#mayEncode(this.#ahead(slot))) sorted.encoding.push(slot)
    }
    return sorted
  }

  /**
   * Encodes ready pictures of these slots: one if answers wait for it, else as many as possible. A suspect is encoded
   * alone: if this process crashes, no other picture is blamed.
   */
  async encode(slots: readonly Slot[], { working, isAwaited, threads }: EncodeOptions): Promise<void> {
    const ready = this.#inTurn(slots.map((slot) => this.#ahead(slot))).filter(({ key }) => this.#isReady(key))
    const isAlone = isAwaited || ready.slice(0, 1).some(this.#isSuspect)
    const chosen = isAlone
      ? ready.slice(0, 1)
      : ready.filter((wanted) => !this.#isSuspect(wanted)).slice(0, mostTogether)
    const numbers = chosen.map(({ key }) => this.#prepared.numberOf(key) ?? 0)
    this.#setEncoding(chosen)
    const results = await this.#options.projector.encode(numbers, threads)
    this.#setEncoding([])
    if (results.length === 0) throw new Error('the projector encoded no picture: this is a bug')
    for (const [index, parts] of results.entries()) {
      const done = chosen[index]
      if (done === undefined) throw new Error('the projector encoded too many pictures: this is a bug')
      this.#encoded++
      this.#noteServed(done.slot.accountId)
      this.#handOut(done, parts, working)
    }
  }

  /** Forgets a picture once the slot has decoded its last part. It may still be cached. */
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

  /** Gives the result to all slots that have the picture ahead of them. */
  #handOut(done: WantedPicture, parts: readonly NativePictureEmbeddings[], slots: readonly Slot[]): void {
    this.#prepared.drop(done.key)
    this.#cache.add(done.key, parts)
    for (const { slot, picture, key } of slots.flatMap((slot) => this.#ahead(slot))) {
      if (key === done.key) hold(slot.request, picture, parts)
    }
  }

  /**
   * Orders pictures fairly: one of each account before the second of another; first the next one of each slot, then the
   * one after it, with the accounts that have waited longest first.
   */
  #inTurn(prompts: readonly (readonly WantedPicture[])[]): WantedPicture[] {
    const turn = ([first]: readonly WantedPicture[]) => this.#served.indexOf(first?.slot.accountId ?? '')
    const ordered = prompts.toSorted((one, other) => turn(one) - turn(other))
    const byKey = new Map<string, WantedPicture>()
    for (let place = 0; ordered.some(({ length }) => place < length); place++) {
      for (const prompt of ordered) {
        const wanted = prompt[place]
        if (wanted === undefined || byKey.has(wanted.key) || this.#cache.has(wanted.key)) continue
        byKey.set(wanted.key, wanted)
      }
    }
    return [...byKey.values()]
  }

  /** Returns the pictures of a slot's prompt that are neither decoded nor encoded yet. */
  #ahead(slot: Slot): WantedPicture[] {
    const { request, answer } = slot
    return picturesFrom(answer.runs, answer.decoded)
      .filter(({ key }) => !request.encoded.has(key))
      .map((picture) => ({ slot, picture, key: this.#keyOf(request, picture) }))
  }

  /** Returns whether the first of a slot's pending pictures may be encoded. */
  #mayEncode([next, ...later]: readonly WantedPicture[]): boolean {
    if (next === undefined || !this.#isReady(next.key)) return false
    const { current, isPaused } = this.#prepared
    if (current !== undefined && [current, next].some(this.#isSuspect)) return false
    return isPaused || later.every(({ key }) => this.#isReady(key) || this.#cache.has(key))
  }

  #isReady(key: string): boolean {
    return this.#prepared.numberOf(key) !== undefined
  }

  readonly #isSuspect = ({ picture }: WantedPicture): boolean => this.#options.suspects.has(picture.hash)

  #setEncoding(chosen: readonly WantedPicture[]): void {
    const requests = new Set([...this.#encoding, ...chosen].map(({ slot }) => slot.request))
    this.#encoding = chosen
    for (const request of requests) this.#tell(request)
  }

  #tell(request: GrantedRequest): void {
    const handled = [...this.#encoding, this.#prepared.current].filter((wanted) => wanted?.slot.request === request)
    this.#events.onHandling(
      request,
      handled.flatMap((wanted) => wanted?.picture.hash ?? []),
    )
  }

  #noteServed(accountId: string): void {
    const others = this.#served.filter((other) => other !== accountId)
    this.#served = [...others, accountId].slice(-rememberedAccounts)
  }

  #keyOf({ accountId }: GrantedRequest, { key }: PromptPicture): string {
    return this.#options.shareCache ? key : `${accountId}\n${key}`
  }
}

/** Holds a picture until it has been decoded, cached or not. */
function hold(request: GrantedRequest, { key }: PromptPicture, encoded: EncodedPicture): void {
  request.encoded.set(key, encoded)
  request.unseen.delete(key)
}

function undecodableError(picture: PromptPicture, reason: string): ErrorData {
  const { param } = picture
  const [code, advice] = isSound(picture)
    ? ['invalid_audio', 'Send it as wav or mp3.']
    : ['invalid_image', 'Send a picture that opens in an image viewer.']
  return { kind: 'invalid_request', code, message: `'${param}' cannot be decoded: ${reason}. ${advice}`, param }
}
