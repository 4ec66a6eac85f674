/** Writes a conversation into the browser's database as it changes. */
import { effect } from '@preact/signals'
import type { Exchange } from '../conversation.ts'
import type { Chat } from '../conversation-state.ts'
import { isRunning } from '../exchange-tree.ts'
import type { ChatStore } from './chat-store.ts'
import { growingMs, writeExchange, writePictures } from './exchange-record.ts'
import { forgetSetup, keepSetup } from './new-setup.ts'
import { isElsewhere } from './read-chat.ts'
import { type ConversationRecord, type ExchangeRecord, type PictureRecord, textsOf } from './records.ts'
import { titleOf } from './title.ts'

/** Fields that several tabs may change: each tab writes those alone that it has changed itself. */
const sharedFields = ['models', 'system', 'settings', 'tools'] as const
const ownFields = [...sharedFields, 'changedAtMs', 'leaf'] as const

/**
 * Keeps a conversation from its first message on, until `end`. What could not be written is written with the next
 * change. `onFailure` is told of the first failure.
 */
export class ChatKeeper {
  readonly chat: Chat
  /** Number of changes by this tab. */
  changes = 0
  readonly #store: ChatStore
  readonly #onFailure: () => void
  readonly #endTimer: () => void
  readonly #storedPictures: Set<number>
  readonly #unsaved = new Set<number>()
  /** Last writes of exchanges that have not ended. */
  readonly #writing = new Map<number, Promise<void>>()
  #isCreating = false
  /** Conversation as it is stored. Undefined until its first message. */
  #stored: ConversationRecord | undefined
  /** True once this tab does not go on with running answers. */
  #isEnding = false
  #isLeaving = false
  #hasLeft = false
  #hasFailed = false

  constructor(chat: Chat, stored: ConversationRecord | undefined, store: ChatStore, onFailure: () => void) {
    this.chat = chat
    this.#stored = stored
    this.#store = store
    this.#onFailure = onFailure
    this.#storedPictures = new Set(chat.all.peek().flatMap(({ question }) => question.pictures.map(({ id }) => id)))
    chat.onChange = () => this.#change()
    chat.onExchange = ({ id }) => {
      this.changes += 1
      this.#unsaved.add(id)
      this.save()
    }
    let timer: ReturnType<typeof setInterval> | undefined
    const endEffect = effect(() => {
      clearInterval(timer)
      timer = chat.isRunning.value ? setInterval(() => this.saveRunning(), growingMs) : undefined
    })
    this.#endTimer = () => {
      endEffect()
      clearInterval(timer)
    }
  }

  /** True once the conversation has been handed to the database. */
  get isStored(): boolean {
    return this.#stored !== undefined
  }

  /** Writes the last of the running answers, and nothing from then on. */
  end(): void {
    this.#isEnding = true
    this.saveRunning()
    this.#endTimer()
    this.chat.onChange = () => undefined
    this.chat.onExchange = () => undefined
  }

  /** Writes what is not stored yet. */
  save(): void {
    if (this.#hasLeft) return
    if (this.#unsaved.size > 0 && this.#stored === undefined) this.#change()
    for (const exchange of this.chat.all.peek()) if (this.#unsaved.delete(exchange.id)) this.#saveOne(exchange)
  }

  saveRunning(): void {
    for (const exchange of this.chat.all.peek()) if (isRunning(exchange)) this.#unsaved.add(exchange.id)
    this.save()
  }

  /** Writes all before the page is left, and no more: leaving cancels requests, which would look like failures. */
  leave(): void {
    this.#isEnding = true
    this.#isLeaving = true
    // Writes that have not ended may end with the page.
    for (const exchange of this.chat.all.peek()) {
      if (!this.#writing.has(exchange.id)) continue
      this.#unsaved.add(exchange.id)
      for (const { id } of exchange.question.pictures) this.#storedPictures.delete(id)
    }
    this.saveRunning()
    this.#hasLeft = true
  }

  comeBack(): void {
    this.#isEnding = false
    this.#isLeaving = false
    this.#hasLeft = false
  }

  /** Takes over what another tab has changed, unless this one has changed it as well. */
  takeOver(stored: ConversationRecord): void {
    const before = this.#stored
    this.#stored = stored
    if (before === undefined) return
    const isOwn = (name: (typeof sharedFields)[number]) => !isSame(this.chat[name].peek(), before[name])
    const { models, system, settings, tools } = stored
    if (!isOwn('models')) this.chat.models.value = models
    if (!isOwn('system')) this.chat.system.value = system
    if (!isOwn('settings')) this.chat.settings.value = settings
    if (!isOwn('tools')) this.chat.tools.value = tools
  }

  #change(): void {
    this.changes += 1
    if (this.chat.all.peek().length === 0) keepSetup(this.chat)
    else if (this.#stored === undefined) this.#create()
    else this.#update(this.#stored)
  }

  #create(): void {
    const conversation = recordOf(this.chat)
    this.#stored = conversation
    forgetSetup()
    this.#isCreating = true
    const adding = this.#store.add([{ conversation, exchanges: [], pictures: [] }]).finally(() => {
      this.#isCreating = false
    })
    this.#write(adding, () => {
      this.#stored = undefined
      for (const { id } of this.chat.all.peek()) this.#unsaved.add(id)
    })
  }

  #update(before: ConversationRecord): void {
    const now = recordOf(this.chat)
    const changed = ownFields.filter((name) => !isSame(before[name], now[name]))
    if (changed.length === 0) return
    const values = (record: ConversationRecord) => Object.fromEntries(changed.map((name) => [name, record[name]]))
    this.#stored = { ...before, ...values(now) }
    this.#write(this.#store.change(this.chat.id, values(now)), () => {
      if (this.#stored !== undefined) this.#stored = { ...this.#stored, ...values(before) }
    })
  }

  #saveOne(exchange: Exchange): void {
    // Its own tab writes it.
    if (isElsewhere(exchange)) return
    const { id } = this.chat
    const growing = isRunning(exchange) && !this.#isEnding ? { growingAtMs: Date.now() } : {}
    const record = { ...writeExchange(id, exchange), ...growing }
    const onFailure = () => this.#unsaved.add(exchange.id)
    if (exchange.isRemoved === true) for (const picture of record.pictures) this.#storedPictures.delete(picture.id)
    const { pictures: shown } = exchange.question
    const pictures = exchange.isRemoved === true ? [] : writePictures(id, shown, this.#storedPictures)
    for (const picture of pictures) this.#storedPictures.add(picture.id)
    this.#track(exchange.id, this.#writeOne(record, pictures, exchange.isRemoved), () => {
      for (const picture of pictures) this.#storedPictures.delete(picture.id)
      onFailure()
    })
    if (exchange.isRemoved !== true && !this.#isLeaving && !isRunning(exchange))
      this.#write(this.#store.addWords(id, textsOf(record)), onFailure)
  }

  #writeOne(record: ExchangeRecord, pictures: readonly PictureRecord[], isRemoved: boolean | undefined): Promise<void> {
    const conversation = this.#isCreating ? this.#stored : undefined
    if (this.#isLeaving)
      return this.#store.leave({ exchange: record, pictures, ...(conversation !== undefined && { conversation }) })
    if (isRemoved === true) return this.#store.removeExchange(record)
    return this.#store.putExchange(record, pictures, { isBack: isRemoved === false })
  }

  /** Watches the write of an exchange, so that leaving the page can write it again if it has not ended. */
  #track(id: number, writing: Promise<void>, onFailure: () => void): void {
    const end = () => this.#writing.get(id) === ended && this.#writing.delete(id)
    const ended = writing.finally(end)
    this.#writing.set(id, ended)
    this.#write(ended, onFailure)
  }

  #write(writing: Promise<void>, onFailure: () => void): void {
    writing.then(
      () => {
        this.#hasFailed = this.#unsaved.size > 0
      },
      () => {
        onFailure()
        if (!this.#hasFailed && !this.#isLeaving) this.#onFailure()
        this.#hasFailed = true
      },
    )
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns the record of a conversation, named by its first message and dated by its messages. */
function recordOf(chat: Chat): ConversationRecord {
  const times = chat.all.peek().map(({ askedAtMs }) => askedAtMs)
  const { id, leaf, models, system, settings, tools } = chat
  return {
    ...{ id, title: titleOf(chat.exchanges.peek()[0]?.question.text ?? ''), isNamed: false },
    ...{ createdAtMs: Math.min(...times), changedAtMs: Math.max(...times), leaf: leaf.peek(), models: models.peek() },
    ...{ system: system.peek(), settings: settings.peek(), tools: tools.peek() },
  }
}
