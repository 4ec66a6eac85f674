/** Writes a conversation into the browser's database as it changes. */
import { effect } from '@preact/signals'
import type { Exchange } from '../conversation.ts'
import type { Chat } from '../conversation-state.ts'
import { isRunning } from '../exchange-tree.ts'
import type { ChatStore } from './chat-store.ts'
import { writeExchange, writePictures } from './exchange-record.ts'
import { forgetSetup, keepSetup } from './new-setup.ts'
import { type ConversationRecord, textsOf } from './records.ts'
import { titleOf } from './title.ts'

/** Interval at which a growing answer is written. */
const growingMs = 2_000

/**
 * Writes the changes of a conversation until the returned function is called. A conversation is kept from its first
 * message on. `onFailure` is told of the first failed write.
 */
export function keepChat(chat: Chat, store: ChatStore, onFailure: (error: unknown) => void): () => void {
  const storedPictures = new Set(
    chat.all.peek().flatMap(({ question }) => question.pictures.map((picture) => picture.id)),
  )
  let isStored = chat.all.peek().length > 0
  let isLeaving = false

  const write = (writing: Promise<unknown>) => {
    writing.catch((error: unknown) => isLeaving || onFailure(error))
  }

  const writeOne = (exchange: Exchange) => {
    const record = writeExchange(chat.id, exchange)
    if (exchange.isRemoved === true) {
      for (const { id } of record.pictures) storedPictures.delete(id)
      return write(store.removeExchange(record))
    }
    const pictures = writePictures(chat.id, exchange, storedPictures)
    for (const { id } of pictures) storedPictures.add(id)
    write(store.putExchange(record, pictures))
    if (!isLeaving && !isRunning(exchange)) write(store.addWords(chat.id, textsOf(record)))
  }

  chat.onChange = () => {
    if (chat.all.peek().length === 0) return keepSetup(chat)
    const record = recordOf(chat)
    // The title and the time of creation stay as they were stored first.
    const { id: _, title: __, isNamed: ___, createdAtMs: ____, ...changes } = record
    if (isStored) return write(store.change(chat.id, changes))
    isStored = true
    forgetSetup()
    write(store.add({ conversation: record, exchanges: [], pictures: [] }))
  }
  chat.onExchange = (exchange) => {
    if (!isLeaving) writeOne(exchange)
  }

  const writeRunning = () => {
    for (const exchange of chat.all.peek()) if (isRunning(exchange)) writeOne(exchange)
  }
  const leave = () => {
    writeRunning()
    // Leaving the page cancels its requests, which must not be written as failures.
    isLeaving = true
  }
  const comeBack = () => {
    isLeaving = false
  }
  let timer: ReturnType<typeof setInterval> | undefined
  const endTimer = effect(() => {
    clearInterval(timer)
    timer = chat.isRunning.value ? setInterval(writeRunning, growingMs) : undefined
  })
  addEventListener('pagehide', leave)
  addEventListener('pageshow', comeBack)
  document.addEventListener('visibilitychange', writeRunning)
  return () => {
    writeRunning()
    endTimer()
    clearInterval(timer)
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', comeBack)
    document.removeEventListener('visibilitychange', writeRunning)
    chat.onChange = () => undefined
    chat.onExchange = () => undefined
  }
}

/** Returns the record of a conversation, named by its first message and dated by its messages. */
function recordOf(chat: Chat): ConversationRecord {
  const times = chat.all.peek().map(({ askedAtMs }) => askedAtMs)
  return {
    ...{ id: chat.id, title: titleOf(chat.exchanges.peek()[0]?.question.text ?? ''), isNamed: false },
    ...{
      createdAtMs: Math.min(...times),
      changedAtMs: Math.max(...times),
      leaf: chat.leaf.peek(),
      models: chat.models.peek(),
    },
    ...{ system: chat.system.peek(), settings: chat.settings.peek(), tools: chat.tools.peek() },
  }
}
