/** Turns pieces of tool calls, as servers send them, into consecutive calls. */
import type { ChatOutput } from '../../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json.ts'
import { UpstreamFailure } from '../../http/failure.ts'
import { ObjectScanner } from './object-scanner.ts'
import { jsonText } from './server-chunk.ts'

/** Most characters of calls that wait for an earlier one to end. */
const waitingCharactersLimit = 16 * 1024 * 1024
const callsLimit = 1024
/** Most characters of a name, which may come in pieces. */
const nameCharactersLimit = 4096

interface OpenCall {
  /** Index given by the server. Undefined if it gives none. */
  readonly place: number | undefined
  readonly id: string
  name: string
  /** Pieces not yet returned. */
  pieces: string[]
  hasArguments: boolean
  readonly scanner: ObjectScanner
}

type CallOutput = Extract<ChatOutput, { readonly type: 'tool-call-start' | 'tool-call-delta' }>

export class CallReader {
  readonly #choice: number
  readonly #isSingle: boolean
  /** Calls in order of their start. Those before `#current` were returned completely. */
  readonly #calls: OpenCall[] = []
  #current = 0
  #isCurrentStarted = false
  /** Number of started calls. Calls that never got a name do not count. */
  #started = 0
  #waitingCharacters = 0

  /** `isSingle`: the answer may have only one call. */
  constructor(choice: number, isSingle: boolean) {
    this.#choice = choice
    this.#isSingle = isSingle
  }

  get hasCalls(): boolean {
    return this.#started > 0
  }

  /** True once a second call has begun although only one is allowed. */
  isBeyond = false

  /**
   * Reads a piece of a call. Returns the pieces of one call at a time: the next call waits until the current arguments
   * are a whole object or the answer ends, since some servers interleave calls.
   */
  push(delta: JsonObject): CallOutput[] {
    const called = isObject(delta.function) ? delta.function : delta
    const name = typeof called.name === 'string' ? called.name : ''
    const id = typeof delta.id === 'string' ? delta.id : ''
    const place = typeof delta.index === 'number' ? delta.index : undefined
    const call = this.#find(place, id, name) ?? this.#open(place, id)
    if (call === undefined || this.#calls.indexOf(call) < this.#current) return [] // too late
    // Servers send a name in pieces, or growing, or whole several times.
    const isNamed = call.hasArguments || (this.#isCurrentStarted && call === this.#calls[this.#current])
    if (!isNamed) call.name = name.startsWith(call.name) ? name : call.name + name
    if (call.name.length > nameCharactersLimit) throw tooManyPieces()
    this.#add(call, argumentsOf(called.arguments, call.hasArguments))
    return this.#giveOut(false)
  }

  /** Returns the start of the current call, because text or thinking follows and its name is therefore complete. */
  pause(): CallOutput[] {
    const call = this.#calls[this.#current]
    return call === undefined || call.name === '' ? [] : this.#start(call)
  }

  /** Ends the answer. `isWhole`: the answer ended by itself, so a call that has no arguments yet gets `{}`. */
  end(isWhole: boolean): CallOutput[] {
    const outputs: CallOutput[] = []
    while (this.#current < this.#calls.length) {
      if (isWhole && this.#calls[this.#current]?.hasArguments === false) this.#calls[this.#current]?.pieces.push('{}')
      outputs.push(...this.#giveOut(true))
    }
    return outputs
  }

  /** Returns the call of a piece: by index, else by id, else the last one. Undefined if the piece begins a new call. */
  #find(place: number | undefined, id: string, name: string): OpenCall | undefined {
    const same = this.#sameCall(place, id, name)
    if (same === undefined || name === '') return same
    const hasOtherId = id !== '' && same.id !== '' && id !== same.id
    const isUnnumbered = place === undefined && id === '' && same.hasArguments
    const mayBeOther = hasOtherId || isUnnumbered
    return mayBeOther && (name !== same.name || same.scanner.isClosed) ? undefined : same
  }

  #sameCall(place: number | undefined, id: string, name: string): OpenCall | undefined {
    if (place !== undefined) return this.#calls.findLast((call) => call.place === place)
    const last = this.#calls.at(-1)
    if (id === '') return last
    return this.#calls.findLast((call) => call.id === id) ?? (name === '' ? last : undefined)
  }

  #open(place: number | undefined, id: string): OpenCall | undefined {
    if (this.#isSingle && this.#calls.length === 1) {
      this.isBeyond ||= this.#calls[0]?.scanner.isClosed === true
      return undefined
    }
    if (this.#calls.length === callsLimit) throw tooManyPieces()
    const call = { place, id, name: '', pieces: [], hasArguments: false, scanner: new ObjectScanner() }
    this.#calls.push(call)
    return call
  }

  #add(call: OpenCall, text: string): void {
    if (text === '') return
    call.hasArguments = true
    call.scanner.push(text)
    call.pieces.push(text)
    if (call === this.#calls[this.#current]) return
    this.#waitingCharacters += text.length
    if (this.#waitingCharacters > waitingCharactersLimit) throw tooManyPieces()
  }

  /** Returns everything that may be returned now, including all of the current call if the answer `isOver`. */
  #giveOut(isOver: boolean): CallOutput[] {
    const outputs: CallOutput[] = []
    for (;;) {
      const call = this.#calls[this.#current]
      if (call === undefined) return outputs
      outputs.push(...this.#piecesOf(call, isOver))
      const isNextThere = this.#current + 1 < this.#calls.length
      if (!isOver && !(call.scanner.isClosed && isNextThere)) return outputs
      this.#current++
      this.#isCurrentStarted = false
      if (isOver) return outputs
    }
  }

  /** Returns the pieces of a call. Its name is complete once arguments come, or nothing more does. */
  #piecesOf(call: OpenCall, isOver: boolean): CallOutput[] {
    const text = call.pieces.join('')
    call.pieces = []
    if (text === '' && !isOver) return []
    if (call.name === '') {
      if (text === '' || !call.hasArguments) return []
      throw new UpstreamFailure('malformed', 'the server sent the arguments of a call without a name')
    }
    const start = this.#start(call)
    if (text === '') return start
    return [...start, { type: 'tool-call-delta', choice: this.#choice, index: this.#started - 1, argumentsText: text }]
  }

  #start({ name }: OpenCall): CallOutput[] {
    if (this.#isCurrentStarted) return []
    this.#isCurrentStarted = true
    const index = this.#started++
    return [{ type: 'tool-call-start', choice: this.#choice, index, name }]
  }
}

function tooManyPieces(): UpstreamFailure {
  return new UpstreamFailure('too-large', 'the server sends more calls in turn than can be held')
}

/** Returns the number of characters in this piece that the model generated. */
export function calledCharacters(delta: JsonObject): number {
  const { name, arguments: written } = isObject(delta.function) ? delta.function : delta
  return (typeof name === 'string' ? name.length : 0) + argumentsOf(written, false).length
}

/** Returns a piece of the arguments' text, or the text of an object that holds all arguments. */
function argumentsOf(value: JsonValue | undefined, hasArguments: boolean): string {
  if (typeof value === 'string') return value
  return isObject(value) && !hasArguments ? jsonText(value) : ''
}
