import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Chats } from './kept/chats.ts'
import type { ConversationRecord } from './kept/records.ts'
import { matcher, wordsOf } from './kept/words.ts'
import { whenIdle } from './when-idle.ts'

interface ConversationSearch {
  /** Words that are searched for. Empty without a search. */
  readonly query: Signal<string>
  /** Ids of the conversations whose messages contain the words. Empty without a search. */
  readonly found: ReadonlySet<number>
  /** Conversations with the words in their messages or their titles. All without a search. */
  readonly list: readonly ConversationRecord[]
}

const nothingFound: ReadonlySet<number> = new Set()

/** Searches the conversations of this browser as the words are typed. */
export function useConversationSearch(chats: Chats): ConversationSearch {
  const query = useSignal('')
  const found = useSignal(nothingFound)

  // The first search reads the words of all conversations.
  useEffect(() => whenIdle(() => void chats.search('').catch(() => undefined)), [chats])

  useSignalEffect(() => {
    const words = query.value
    // Searches again after each change of the list.
    chats.list.value
    if (words === '') {
      found.value = nothingFound
      return
    }
    void chats.search(words).then((ids) => {
      if (query.peek() === words) found.value = ids
    })
  })

  const isInTitle = matcher(query.value)
  const list = chats.list.value.filter(
    ({ id, title }) => query.value === '' || found.value.has(id) || isInTitle(wordsOf([title])),
  )
  return { query, found: found.value, list }
}
