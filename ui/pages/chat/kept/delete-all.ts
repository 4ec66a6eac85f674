/** Conversations of an account, for pages outside the chat. Load it apart: it brings the database. */
import { newId } from '../conversation.ts'
import { ChatStore } from './chat-store.ts'
import { forgetAll } from './tab-memory.ts'

/** Returns the number of conversations that this browser keeps of an account. */
export async function countConversations(account: string): Promise<number> {
  return withStore(account, async (store) => (await store.list()).length)
}

/**
 * Deletes the conversations and drafts of an account from this browser; other tabs end what they are receiving. Rejects
 * if the browser refuses.
 */
export async function deleteConversations(account: string): Promise<void> {
  await withStore(account, (store) => store.removeAll())
  forgetAll()
}

async function withStore<Result>(account: string, act: (store: ChatStore) => Promise<Result>): Promise<Result> {
  const store = await ChatStore.open(account, newId())
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}
